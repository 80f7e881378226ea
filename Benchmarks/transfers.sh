#!/usr/bin/env bash
# Imports a generated transfer into an empty database, exports it, and prints speed, memory, and whether
# the content is the same. CONVERSATIONS and MESSAGES (of each) set the size.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# The memory of the process itself: time(1) reports the maximum over the command and all processes that
# it waited for, and `stoa` waits for PostgreSQL, each process of which counts the shared buffers that
# it touched.
measured() { # NAME, COMMAND...
    local name=$1 start=$EPOCHREALTIME peak=0 seen process
    shift
    "$@" &
    process=$!
    while seen=$(awk '/^VmHWM/ { print $2 }' "/proc/$process/status" 2> /dev/null) && [ -n "$seen" ]; do
        peak=$seen
        sleep 0.1
    done
    wait "$process"
    awk -v name="$name" -v start="$start" -v end="$EPOCHREALTIME" -v peak="$peak" \
        'BEGIN { printf "%s: %.1f s, at most %d KiB\n", name, end - start, peak }'
}

.build/release/stoa-bench transfers --conversations "${CONVERSATIONS:-20000}" \
    --messages "${MESSAGES:-50}" > "$work/first"
ls -l "$work/first" | awk '{ print "file: " $5 " bytes" }'
measured import .build/release/stoa import --database "$work/first" --data-dir "$work/data"
measured again .build/release/stoa import --database "$work/first" --data-dir "$work/data"
measured export .build/release/stoa export --database --output "$work/second" --data-dir "$work/data"
content() { tail -n 1 "$1" | sed 's/.*content_sha256":"//; s/".*//'; }
if [ "$(content "$work/first")" = "$(content "$work/second")" ]; then
    echo "the content is the same"
else
    echo "the content differs" >&2
    exit 1
fi
