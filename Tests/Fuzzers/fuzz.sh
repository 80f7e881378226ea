#!/bin/sh
# Builds the fuzzers with libFuzzer and AddressSanitizer, runs them one after the other, and prints a table: runs,
# runs per second, inputs in the corpus, covered edges. If the compiler has no libFuzzer, it prints that and exits.
#   RUNS=10000000 Tests/Fuzzers/fuzz.sh [NAME...]
# RUNS is the number of runs of each (100000), TIME its time limit in seconds (0: none), SEED the random seed (0:
# from the time). The corpus is kept in .build/fuzz/corpus, logs are in .build/fuzz/logs, failing inputs in
# .build/fuzz/failures.
set -eu
cd "$(dirname "$0")/../.."
folder=.build/fuzz
flags="-O -parse-as-library -swift-version 6 -package-name stoa -warnings-as-errors
    -enable-upcoming-feature NonisolatedNonsendingByDefault
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility
    -sanitize=address -sanitize-coverage=edge,pc-table,inline-8bit-counters -I $folder"

# Swift stores tags in spare bits of pointers, which looks like a leak; a real leak hits the memory
# limit.
export ASAN_OPTIONS=detect_leaks=0:malloc_context_size=4:quarantine_size_mb=32
# Swift's crash handler would interfere with AddressSanitizer's.
export SWIFT_BACKTRACE=enable=no

# Whether fuzzers can be built.
can_fuzz() {
    echo '@c(LLVMFuzzerTestOneInput) public func probe(_: UnsafePointer<UInt8>?, _: Int) -> CInt { 0 }' \
        >"$folder/probe.swift"
    swiftc -parse-as-library -sanitize=address -sanitize=fuzzer -use-ld=lld \
        -o "$folder/probe" "$folder/probe.swift" 2>"$folder/logs/probe"
}

# stale FILE SOURCE...: whether FILE is missing, or older than one of the others or this script.
stale() {
    made=$1
    shift
    [ ! -e "$made" ] || [ -n "$(find "$@" Tests/Fuzzers/fuzz.sh -newer "$made" -print -quit)" ]
}

# module NAME [C MODULE]: compiles Sources/NAME into one object file, if it, the C module that it
# imports or an earlier module has changed.
latest=
module() {
    object="$folder/$1.o"
    if stale "$object" "Sources/$1" ${2:+"Sources/$2"} ${latest:+"$latest"}; then
        rm -f "$object"
        find "Sources/$1" -name '*.swift' -print0 | xargs -0 \
            swiftc $flags -whole-module-optimization -module-name "$1" \
            -emit-module -emit-module-path "$folder/$1.swiftmodule" \
            -emit-object -o "$object"
    fi
    latest=$object
}

# C, with a module map as SwiftPM writes it.
c_modules() {
    for name in PhiKernels CLinux; do
        for file in "Sources/$name"/*.c; do
            object="$folder/$(basename "$file").o"
            if stale "$object" "Sources/$name"; then
                clang -O2 -fsanitize=address -c "$file" -o "$object" -I "Sources/$name/include"
            fi
        done
    done
    {
        echo "module PhiKernels { header \"$PWD/Sources/PhiKernels/include/PhiKernels.h\" export * }"
        echo "module CLinux { header \"$PWD/Sources/CLinux/include/CLinux.h\" export * }"
        echo "module CZlib [system] { header \"$PWD/Sources/CZlib/CZlib.h\" link \"z\" export * }"
        echo "module CCMarkGFM [system] { header \"$PWD/Sources/CCMarkGFM/CCMarkGFM.h\" export * }"
        echo "module COpenSSL [system] {"
        echo "    header \"$PWD/Sources/COpenSSL/COpenSSL.h\" link \"ssl\" link \"crypto\" export *"
        echo "}"
    } >"$folder/module.modulemap"
}

row() { printf '%-14s %12s %14s %8s %8s  %s\n' "$@"; }

# figure NAME: one of libFuzzer's final statistics.
figure() { sed -n "s/^stat::$1: *//p" "$log" | tail -n 1; }

fuzz() { # NAME, LONGEST INPUT
    program="$folder/$1"
    log="$folder/logs/$1"
    if stale "$program" Tests/Fuzzers/FuzzerInput.swift "Tests/Fuzzers/$1.swift" "$modules"; then
        rm -f "$program"
        swiftc $flags -sanitize=fuzzer -use-ld=lld -module-name "$1Fuzzer" -o "$program" \
            Tests/Fuzzers/FuzzerInput.swift "Tests/Fuzzers/$1.swift" \
            "$modules" -lz -lssl -lcrypto -lcmark-gfm-extensions -lcmark-gfm
    fi
    # A folder of its own in memory: what one fuzzer leaves there must not be another's model.
    mkdir -p "$folder/corpus/$1" "$memory/$1"
    verdict=
    STOA_FUZZ_FOLDER="$memory/$1" "$program" -runs="${RUNS:-100000}" \
        -max_total_time="${TIME:-0}" -seed="${SEED:-0}" -max_len="$2" -timeout=5 -rss_limit_mb=1024 \
        -dict="Tests/Fuzzers/Corpus/$1.dict" -artifact_prefix="$folder/failures/$1-" \
        -print_final_stats=1 \
        "$folder/corpus/$1" "Tests/Fuzzers/Corpus/$1" >"$log" 2>&1 || verdict=failed
    # As "#100000 DONE cov: 812 ft: 2345 corp: 210/34Kb …" has them.
    edges=$(sed -n 's/^#.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    inputs=$(sed -n 's/^#.* corp: \([0-9]*\)\/.*/\1/p' "$log" | tail -n 1)
    row "$1" "$(figure number_of_executed_units)" "$(figure average_exec_per_sec)" \
        "$inputs" "$edges" "$verdict"
    if [ -n "$verdict" ]; then
        failed="$failed $1"
        tail -n 40 "$log"
    fi
}

mkdir -p "$folder/logs" "$folder/failures"
if ! can_fuzz; then
    echo "skipped: the fuzzers; this compiler builds none, as $folder/logs/probe says"
    exit 0
fi
memory=$(mktemp -d -p /dev/shm)
trap 'rm -r "$memory"' EXIT
# Modules cannot be read by another compiler version.
swiftc --version >"$folder/compiler" 2>&1
if ! cmp -s "$folder/compiler" "$folder/compiler.before"; then
    rm -f "$folder"/*.o
    mv "$folder/compiler" "$folder/compiler.before"
fi

c_modules
module JSONText
module ToolCalls
module ConstrainedText
module ThinkingText
module EngineProtocol
module Checkpoints
module Tokenizers
module PhiModel PhiKernels
module Digests
module Deflate CZlib
module HTTPProtocol
module WebSocketProtocol
module ChatProtocol
module ChatCore
module OpenAIProtocol
module Transfers CZlib
module TerminalText CCMarkGFM
module Instruments
module EventLoop CLinux
module TLSEngine COpenSSL
module Networking CLinux

# An archive, so that a fuzzer has only the modules that it uses, and resets only their counters for each input.
modules="$folder/modules.a"
if stale "$modules" "$folder"/*.o; then
    rm -f "$modules"
    ar crs "$modules" "$folder"/*.o
fi

failed=
row fuzzer runs "runs a second" inputs edges ''
all='Safetensors Adapter GGUF TokenizerFile Tiktoken Template Configuration Archive JSONStream ForeignFile
    HTTP WebSocket Deflate JSON ProxyHeader EventStream CompletionBody ToolCalls Thinking Constraint
    TerminalText'
for name in ${*:-$all}; do
    case $name in
    Safetensors | Adapter) fuzz "$name" 1536 ;;
    TokenizerFile | Tiktoken | ForeignFile | GGUF) fuzz "$name" 2048 ;;
    *) fuzz "$name" 1024 ;;
    esac
done
if [ -n "$failed" ]; then
    echo "failed:$failed"
    exit 1
fi
