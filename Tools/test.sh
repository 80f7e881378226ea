#!/usr/bin/env bash
# Runs the tests that `swift build --build-tests` has built.
#   Tools/test.sh [OPTION...]: options of `swift test`, such as --filter
# Without options, end-to-end tests run in a process of their own after the others: beside them they would
# queue behind 1,500 tests that compute, and measure servers on a busy machine.
#
# A process that prints nothing for $STALL seconds is ended: its tests that had not ended and the stacks
# of its threads are printed, and it is run once more. If it stalls again, the run fails.
set -uo pipefail
cd "$(dirname "$0")/.."
STALL=${STALL:-300}
CONFIGURATION=${CONFIGURATION:-release}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Tests of a log that have started but not ended.
unfinished() {
    sed -nE 's/^◇ Test ("[^"]*"|[^ ]+\(.*\)) started\.$/\1/p' "$1" | sort > "$work/started"
    sed -nE 's/^[✔✘➜] Test ("[^"]*"|[^ ]+\(.*\)) (with .* cases? )?(passed|failed|skipped).*/\1/p' \
        "$1" | sort > "$work/ended"
    comm -23 "$work/started" "$work/ended"
}

# Prints the failures in full again: they are thousands of lines above the end of the output.
failures() {
    echo "failed:"
    awk '/^✘/ { found = /recorded an issue|Test .* failed/ } /^(◇|✔|➜)/ { found = 0 } found' "$work"/*.log
}

# The stacks of a process' threads where there is a debugger, else the system calls that they wait in.
stacks() {
    if command -v gdb > /dev/null; then
        gdb -p "$1" -batch -ex 'thread apply all backtrace 12' 2> /dev/null | grep -E '^(Thread|#)' | cut -c 1-200
    else
        for task in "/proc/$1/task"/*; do
            echo "$(cat "$task/comm"): $(cat "$task/wchan") $(cat "$task/syscall")"
        done 2> /dev/null | sort | uniq -c
    fi
}

descendants() {
    for child in $(pgrep -P "$1"); do
        echo "$child"
        descendants "$child"
    done
}

# The test processes of this run.
test_processes() {
    for process in $(descendants $$); do
        grep -qz 'stoaPackageTests[.]xctest' "/proc/$process/cmdline" 2> /dev/null && echo "$process"
    done
}

# end_if_stalled LOG: ends the test process when its log does not grow.
end_if_stalled() {
    while sleep 5; do
        [ $(($(date +%s) - $(stat -c %Y "$1"))) -lt "$STALL" ] && continue
        echo "no output for $STALL s; processes:"
        ps --ppid 2 -p 2 --deselect -o pid,ppid,etimes,time,stat,wchan:20,args | cut -c 1-160
        processes=$(test_processes)
        for process in $processes; do
            echo "stacks of $process:"
            stacks "$process"
        done
        # Last, where even a cut log shows them.
        echo "tests that had not ended:"
        unfinished "$1"
        touch "$1.stalled"
        # With the programs that they started, which hold the output open.
        for process in $processes; do
            kill -KILL $(descendants "$process") "$process" 2> /dev/null
        done
        return
    done
}

# attempt NAME WIDTH COMMAND...: runs tests, at most WIDTH at once, and keeps the output in NAME.log. Line
# buffered, so that the last line shows the current test.
attempt() {
    name=$1 width=$2
    shift 2
    : > "$work/$name.log"
    end_if_stalled "$work/$name.log" &
    watcher=$!
    NO_COLOR=1 stdbuf -oL "$@" --experimental-maximum-parallelization-width "$width" \
        > >(tee "$work/$name.log") 2>&1
    status=$?
    # Killing its sleep ends it, unless it is busy with a stalled process.
    [ -e "$work/$name.log.stalled" ] || kill "$watcher" 2> /dev/null
    wait "$watcher" 2> /dev/null
    return "$status"
}

run() {
    attempt "$@" && return
    [ -e "$work/$1.log.stalled" ] || return
    echo "running the $1 tests again, because they stalled"
    mv "$work/$1.log" "$work/$1-stalled.log"
    rm "$work/$1.log.stalled"
    # A test that failed before the stall stays failed; one that only ran out of time in it does not.
    attempt "$@" && ! grep -q '^✘ Test .* failed after' "$work/$1-stalled.log" && rm "$work/$1-stalled.log"
}

# Few tests at once: they share as many threads as there are cores, and a test that waits for a thread
# uses up its time limit. End-to-end tests have threads of their own: at most one a suite runs at a time.
width=$((2 * $(nproc)))
suites=$(grep -rho '[.]onADedicatedThread' Tests/EndToEnd | wc -l)
bundle=".build/$CONFIGURATION/stoaPackageTests.xctest"
if [ $# -gt 0 ] || [ ! -x "$bundle" ]; then
    run chosen "$((width + suites))" swift test -c "$CONFIGURATION" --skip-build "$@"
    status=$?
else
    run unit "$width" "$bundle" --testing-library swift-testing --skip '^EndToEnd\.'
    status=$?
    run end-to-end "$suites" "$bundle" --testing-library swift-testing --filter '^EndToEnd\.' || status=$?
fi
[ "$status" -eq 0 ] || failures
exit "$status"
