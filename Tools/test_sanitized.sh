#!/usr/bin/env bash
# Runs the tests that need neither PostgreSQL nor a browser with AddressSanitizer, and again with
# ThreadSanitizer: parsers, protocol cores, the loop and what talks on it.
#   Tools/test_sanitized.sh [address|thread...]
# Each has a build folder of its own beside the usual one. TARGETS takes the place of the list below.
set -euo pipefail
cd "$(dirname "$0")/.."
TARGETS=${TARGETS:-Digests Deflate Instruments HTTPProtocol WebSocketProtocol TLSEngine EventLoop Networking \
    Gateway Checkpoints Tokenizers ChatProtocol ChatCore Transfers}

# Swift keeps tags in pointers' spare bits, which looks like a leak.
export ASAN_OPTIONS=detect_leaks=0
# Of code that was not built with it, ThreadSanitizer does not see the atomics.
export TSAN_OPTIONS="suppressions=$PWD/Tools/thread_sanitizer.suppressions"
# Its own crash handler would get in the way of the sanitizers'.
export SWIFT_BACKTRACE=enable=no

# "(ATests|BTests)\.": what test.sh passes on, as the beginning of a test's name.
names=$(printf '%sTests|' $TARGETS)
for sanitizer in ${*:-address thread}; do
    echo "with the $sanitizer sanitizer:"
    options=(--sanitize="$sanitizer" --scratch-path ".build/sanitized-$sanitizer")
    swift build -c release --build-tests "${options[@]}"
    Tools/test.sh "${options[@]}" --filter "(${names%|})\\."
done
