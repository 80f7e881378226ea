#!/bin/sh
# Installs into FOLDER the engines that Stoa is tested with: mlx_lm.server, and the server of
# llama-cpp-python with a GGUF file of the demo model. Downloads from PyPI, and compiles C++ for a
# quarter of an hour in one process at low priority. Needs python3 with venv, and a C++ compiler.
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
CMAKE_ARGS='-DLLAVA_BUILD=OFF'
if [ "$(uname -m)" = x86_64 ]; then
    CMAKE_ARGS="$CMAKE_ARGS -DGGML_NATIVE=OFF -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON"
    CMAKE_ARGS="$CMAKE_ARGS -DGGML_F16C=ON -DGGML_BMI2=ON"
fi
export CMAKE_ARGS
nice -n 19 pip install -q --no-build-isolation 'llama-cpp-python[server]==0.3.36'

# The folder's name is the model's there; its path is short in requests and messages.
rm -rf "$folder/demo"
cp -r "$demo" "$folder/demo"
"$folder/venv/bin/python" "$tools/write_demo_gguf.py" --model "$folder/demo" --out "$folder/demo.gguf"
echo "$folder: ready"
