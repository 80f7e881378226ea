#!/bin/sh
# Builds the fuzzers with libFuzzer and AddressSanitizer, and runs one after the other.
#   RUNS=10000000 Tests/Fuzzers/fuzz.sh [NAME...]
# What they learn stays in .build/fuzz/corpus; an input that fails is left in .build/fuzz/failures.
set -eu
cd "$(dirname "$0")/../.."
folder=.build/fuzz
flags="-O -parse-as-library -swift-version 6 -package-name stoa -warnings-as-errors
    -enable-upcoming-feature NonisolatedNonsendingByDefault
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility
    -sanitize=address -sanitize-coverage=edge,pc-table,inline-8bit-counters -I $folder"

# module NAME: compiles Sources/NAME into one object file.
module() {
    find "Sources/$1" -name '*.swift' -print0 | xargs -0 \
        swiftc $flags -whole-module-optimization -module-name "$1" \
        -emit-module -emit-module-path "$folder/$1.swiftmodule" \
        -emit-object -o "$folder/$1.o"
}

kernels() { # C, with a module map as SwiftPM would write it
    for file in Sources/PhiKernels/*.c; do
        clang -O2 -fsanitize=address -c "$file" -o "$folder/$(basename "$file").o" \
            -I Sources/PhiKernels/include
    done
    {
        echo "module PhiKernels { header \"$PWD/Sources/PhiKernels/include/PhiKernels.h\" export * }"
        echo "module CZlib { header \"$PWD/Sources/CZlib/CZlib.h\" link \"z\" export * }"
    } >"$folder/module.modulemap"
}

fuzz() { # NAME, LONGEST INPUT
    swiftc $flags -sanitize=fuzzer -use-ld=lld -module-name "$1Fuzzer" -o "$folder/$1" \
        Tests/Fuzzers/FuzzerInput.swift "Tests/Fuzzers/$1.swift" \
        "$folder"/*.o
    mkdir -p "$folder/corpus/$1" "$folder/failures"
    "$folder/$1" -runs="${RUNS:-100000}" -max_len="$2" -timeout=5 -rss_limit_mb=1024 \
        -dict="Tests/Fuzzers/Corpus/$1.dict" -artifact_prefix="$folder/failures/$1-" \
        -print_final_stats=1 \
        "$folder/corpus/$1" "Tests/Fuzzers/Corpus/$1"
}

# Swift keeps tags in pointers' spare bits, which looks like a leak; a real one hits the memory limit.
export ASAN_OPTIONS=detect_leaks=0:malloc_context_size=4:quarantine_size_mb=32
# Its own crash handler would get in the way of AddressSanitizer's.
export SWIFT_BACKTRACE=enable=no
STOA_FUZZ_FOLDER=$(mktemp -d -p /dev/shm)
export STOA_FUZZ_FOLDER
trap 'rm -r "$STOA_FUZZ_FOLDER"' EXIT
mkdir -p "$folder"
rm -f "$folder"/*.o
kernels
module Checkpoints
module Tokenizers
module PhiModel
module Digests
module Deflate
module HTTPProtocol
module WebSocketProtocol
module ChatProtocol
module Transfers
all='Safetensors TokenizerFile Template Configuration Archive JSONStream ForeignFile
    HTTP WebSocket Deflate JSON'
for name in ${*:-$all}; do
    case $name in
    Safetensors) fuzz "$name" 1536 ;;
    TokenizerFile | ForeignFile) fuzz "$name" 2048 ;;
    *) fuzz "$name" 1024 ;;
    esac
done
