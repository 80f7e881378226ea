#!/usr/bin/env bash
# Runs the tests that `swift build --build-tests` has built, with a timeout: after $LIMIT seconds the
# run fails, and the unfinished tests and the system calls of their processes are printed.
#   Tools/test.sh [OPTION...]: options of `swift test`, such as --filter
# Without options, end-to-end tests run in a process of their own after the others: beside them they would
# queue behind 1,500 tests that compute, and measure servers on a busy machine.
set -uo pipefail
cd "$(dirname "$0")/.."
LIMIT=${LIMIT:-1800}
CONFIGURATION=${CONFIGURATION:-release}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Tests that have started but not ended, according to the output.
unfinished() {
    sed -nE 's/^◇ Test ("[^"]*"|[^ ]+\(.*\)) started\.$/\1/p' "$work"/*.log | sort > "$work/started"
    sed -nE 's/^[✔✘➜] Test ("[^"]*"|[^ ]+\(.*\)) (with .* cases? )?(passed|failed|skipped).*/\1/p' \
        "$work"/*.log | sort > "$work/ended"
    comm -23 "$work/started" "$work/ended"
}

# Prints the failures in full again: they are thousands of lines above the end of the output.
failures() {
    echo "failed:"
    awk '/^✘/ { found = /recorded an issue|Test .* failed/ } /^(◇|✔|➜)/ { found = 0 } found' "$work"/*.log
}

# The number and arguments of the system call of each thread.
threads() {
    for task in "/proc/$1/task"/*; do
        echo "$(cat "$task/comm"): $(cat "$task/wchan") $(cat "$task/syscall")"
    done 2> /dev/null | sort | uniq -c
}

end_late_run() {
    sleep "$LIMIT" || exit
    touch "$work/late"
    echo "not over within $LIMIT s"
    echo "processes:"
    ps --ppid 2 -p 2 --deselect -o pid,ppid,etimes,time,stat,wchan:20,args | cut -c 1-160
    for process in $(pgrep -f 'stoaPackageTests[.]xctest'); do
        echo "threads of $process:"
        threads "$process"
        kill -KILL "$process"
    done
    # Last, where even a cut log shows them.
    echo "tests that had not ended, or had not started:"
    unfinished
}

# run NAME WIDTH COMMAND...: runs tests, at most WIDTH at once, and keeps the output in NAME.log. Line
# buffered, so that the last line shows the current test.
run() {
    name=$1 width=$2
    shift 2
    NO_COLOR=1 stdbuf -oL "$@" --experimental-maximum-parallelization-width "$width" \
        > >(tee "$work/$name.log") 2>&1
}

# Few tests at once: they share as many threads as there are cores, and a test that waits for a thread
# uses up its time limit. End-to-end tests have threads of their own: at most one a suite runs at a time.
width=$((2 * $(nproc)))
suites=$(grep -rho '[.]onADedicatedThread' Tests/EndToEnd | wc -l)
bundle=".build/$CONFIGURATION/stoaPackageTests.xctest"
end_late_run 2> "$work/jobs" &
limit=$!
if [ $# -gt 0 ] || [ ! -x "$bundle" ]; then
    run tests "$((width + suites))" swift test -c "$CONFIGURATION" --skip-build "$@"
    status=$?
else
    run tests "$width" "$bundle" --testing-library swift-testing --skip '^EndToEnd\.'
    status=$?
    [ -e "$work/late" ] ||
        run end-to-end "$suites" "$bundle" --testing-library swift-testing --filter '^EndToEnd\.' ||
        status=$?
fi
if [ -e "$work/late" ]; then
    wait "$limit"
    exit 1
fi
# Killing its sleep ends it.
pkill -P "$limit" sleep
wait "$limit"
[ "$status" -eq 0 ] || failures
exit "$status"
