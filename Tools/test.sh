#!/usr/bin/env bash
# Runs the tests that `swift build --build-tests` has built, with a timeout: after $LIMIT seconds the
# run fails, and the unfinished tests and the system calls of their process are printed.
set -uo pipefail
cd "$(dirname "$0")/.."
LIMIT=${LIMIT:-1800}
CONFIGURATION=${CONFIGURATION:-release}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Tests that have started but not ended, according to the output.
unfinished() {
    sed -nE 's/^◇ Test ("[^"]*"|[^ ]+\(.*\)) started\.$/\1/p' "$work/log" | sort > "$work/started"
    sed -nE 's/^[✔✘➜] Test ("[^"]*"|[^ ]+\(.*\)) (with .* cases? )?(passed|failed|skipped).*/\1/p' \
        "$work/log" | sort > "$work/ended"
    comm -23 "$work/started" "$work/ended"
}

# Prints the failures in full again: they are thousands of lines above the end of the output.
failures() {
    echo "failed:"
    awk '/^✘/ { found = /recorded an issue|Test .* failed/ } /^(◇|✔|➜)/ { found = 0 } found' "$work/log"
}

# What a process' threads wait for: the numbers and arguments of their system calls.
threads() {
    for task in "/proc/$1/task"/*; do
        echo "$(cat "$task/comm"): $(cat "$task/wchan") $(cat "$task/syscall")"
    done 2> /dev/null | sort | uniq -c
}

end_late_run() {
    sleep "$LIMIT" || exit
    touch "$work/late"
    echo "not over within $LIMIT s; tests that had not ended, or whose turn had not come:"
    unfinished
    for process in $(pgrep -f 'stoaPackageTests[.]xctest'); do
        echo "threads of $process:"
        threads "$process"
        kill -KILL "$process"
    done
    echo "processes:"
    ps --ppid 2 -p 2 --deselect -o pid,ppid,etimes,time,stat,wchan:20,args | cut -c 1-160
}

# Few tests at once: they share as many threads as there are cores, and a test that waits for a thread
# uses up its time limit. Three more are end-to-end tests, which have their own threads. Line buffered,
# so that the last line shows the current test.
stdbuf -oL swift test -c "$CONFIGURATION" --skip-build \
    --experimental-maximum-parallelization-width "$((2 * $(nproc) + 3))" "$@" > >(tee "$work/log") 2>&1 &
run=$!
end_late_run 2> "$work/jobs" &
limit=$!
wait "$run"
status=$?
if [ -e "$work/late" ]; then
    wait "$limit"
    exit 1
fi
# Killing its sleep ends it.
pkill -P "$limit" sleep
wait "$limit"
[ "$status" -eq 0 ] || failures
exit "$status"
