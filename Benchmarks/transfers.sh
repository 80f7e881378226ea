#!/usr/bin/env bash
# Imports a made-up transfer into an empty database, exports it, and says how fast, with how much memory,
# and whether the content is the same. CONVERSATIONS and MESSAGES (of each) say how much.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

measured() { # NAME, COMMAND...
    local name=$1
    shift
    /usr/bin/time -f "$name: %e s, at most %M KiB" "$@"
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
