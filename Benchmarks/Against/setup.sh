#!/bin/sh
# Installs into FOLDER what the engine is compared with: llama.cpp, built for this processor from the
# sources in the Python package llama-cpp-python, and MLX with mlx-lm. Downloads from PyPI, and takes a
# quarter of an hour on two cores and 4 GB. Needs python3 with venv, and a C++ compiler.
#
#   Benchmarks/Against/setup.sh FOLDER
#
# LLAMA_OPTIONS are additional cmake options, for example "-DGGML_NATIVE=OFF -DGGML_AVX=ON
# -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON" for a processor with only AVX2. AMX is
# left out: on a processor that has it, this version ends with an illegal instruction.
set -eu
[ $# = 1 ] || { sed -n 's/^#   /usage: /p' "$0" >&2; exit 64; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)

python3 -m venv "$folder/venv"
PATH="$folder/venv/bin:$PATH"
pip install -q cmake==4.4.4 ninja==1.13.2 scikit-build-core==1.1.2 numpy==2.4.6 gguf==0.19.0
pip install -q mlx==0.32.4 mlx-cpu==0.32.4 mlx-lm==0.32.2 ||
    echo 'MLX could not be installed, and will not be measured' >&2

version=0.3.36
mkdir -p "$folder/sources"
pip download -q --no-deps --no-binary :all: --no-build-isolation -d "$folder" "llama-cpp-python==$version"
tar -xzf "$folder"/llama_cpp_python-"$version".tar.gz -C "$folder/sources" --strip-components=1
# The fastest build options for the processor alone.
build() { # OPTIONS...
    rm -rf "$folder/build"
    cmake -G Ninja -S "$folder/sources/vendor/llama.cpp" -B "$folder/build" \
        -DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=ON -DGGML_OPENMP=ON -DBUILD_SHARED_LIBS=OFF \
        -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF \
        -DLLAMA_BUILD_UI=OFF -DLLAMA_USE_PREBUILT_UI=OFF ${LLAMA_OPTIONS:-} "$@" >"$folder/cmake.log"
    ninja -C "$folder/build" llama-bench llama-batched-bench llama-server >"$folder/ninja.log"
}
if grep -q '^flags.* amx_int8' /proc/cpuinfo; then
    build -DCMAKE_C_FLAGS='-mno-amx-tile -mno-amx-int8' \
        -DCMAKE_CXX_FLAGS='-mno-amx-tile -mno-amx-int8'
else
    build
fi
echo "llama.cpp of llama-cpp-python $version${LLAMA_OPTIONS:+ built with $LLAMA_OPTIONS}" >"$folder/llama-version"
echo "$folder: ready"
