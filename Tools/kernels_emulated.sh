#!/bin/sh
# Builds the kernels for 64-bit ARM and compares each variant with the scalar one under an emulator: once
# as a processor with dot products and matrix products of bytes, once without. Names missing tools, and
# skips the test. On Debian, make setup installs them.
set -eu
cd "$(dirname "$0")/.."
folder=.build/kernels

skip() {
    echo "skipped: kernels under an emulator, which need $1"
    exit 0
}
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) || skip qemu-aarch64
clang=$(command -v clang) || skip clang
mkdir -p "$folder"

if [ "$(uname -m)" = aarch64 ]; then target=; else target='--target=aarch64-linux-gnu'; fi
echo 'int main(void) { return 0; }' >"$folder/probe.c"
"$clang" $target -fuse-ld=lld -static -o "$folder/probe" "$folder/probe.c" 2>"$folder/probe.log" ||
    skip 'a C library for 64-bit ARM'

"$clang" $target -fuse-ld=lld -static -O2 -Wall -Wextra -Werror -o "$folder/compare" \
    Tests/Kernels/*.c Sources/PhiKernels/*.c -lm
"$emulator" -cpu cortex-a72 "$folder/compare" neon
"$emulator" -cpu max "$folder/compare" neon neondotprod neoni8mm
