#!/usr/bin/env bash
# Runs the tests that need neither PostgreSQL nor a browser with AddressSanitizer, and again with
# ThreadSanitizer: parsers, protocol cores, the event loop and networking.
#   Tools/test_sanitized.sh [address|thread...]
# Each has a separate build folder. TARGETS replaces the list below.
set -euo pipefail
cd "$(dirname "$0")/.."
TARGETS=${TARGETS:-Digests Deflate Instruments HTTPProtocol WebSocketProtocol TLSEngine EventLoop Networking \
    Gateway Checkpoints Tokenizers ChatProtocol ChatCore Transfers}

# Swift keeps tags in pointers' spare bits, which look like leaks.
export ASAN_OPTIONS=detect_leaks=0
# ThreadSanitizer does not see atomics in code that was built without it.
export TSAN_OPTIONS="suppressions=$PWD/Tools/thread_sanitizer.suppressions"
# Swift's crash handler would interfere with the sanitizers'.
export SWIFT_BACKTRACE=enable=no

# "(ATests|BTests)\.": test.sh passes it on as the start of test names.
names=$(printf '%sTests|' $TARGETS)
for sanitizer in ${*:-address thread}; do
    echo "with the $sanitizer sanitizer:"
    options=(--sanitize="$sanitizer" --scratch-path ".build/sanitized-$sanitizer")
    swift build -c release --build-tests "${options[@]}"
    Tools/test.sh "${options[@]}" --filter "(${names%|})\\."
done
