#!/usr/bin/env bash
# Backs up a server with a million messages while clients send questions, verifies and restores it. Prints
# sizes, times, whether the content is the same, and how long acknowledgements take with and without a
# running backup, measured in turns. CONVERSATIONS and MESSAGES (of each) set the size, RATE the MiB per
# second (0: no limit), ROUNDS how often.
set -euo pipefail
cd "$(dirname "$0")/.."
. Benchmarks/server.sh
rounds=${ROUNDS:-3} rate=${RATE:-0}
limit=()
[ "$rate" = 0 ] || limit=(--rate "$rate")

elapsed() { # NAME, COMMAND...
    local name=$1 start=$EPOCHREALTIME
    shift
    "$@" >"$data/said"
    awk -v name="$name" -v start="$start" -v end="$EPOCHREALTIME" \
        'BEGIN { printf "%s: %.1f s\n", name, end - start }'
}

"$bin/stoa-bench" transfers --conversations "${CONVERSATIONS:-20000}" --messages "${MESSAGES:-50}" >"$data/file"
elapsed import "$bin/stoa" import --database "$data/file" --data-dir "$data"
rm "$data/file"
serve --queue-limit 100000 --questions-per-minute 0 --connections-per-user 0
echo benchmark-password | "$bin/stoa" user add bench --password-stdin --data-dir "$data" >/dev/null
sql -c 'VACUUM ANALYZE' -c CHECKPOINT
sql -c "SELECT 'messages: ' || count(*) FROM messages" \
    -c "SELECT 'database: ' || pg_size_pretty(pg_database_size('stoa'))"

turns() { # NAME: appends the 99th percentile in milliseconds to a file of that name
    "$bin/stoa-bench" turns --server "$url" --user bench --password benchmark-password \
        --clients "${CLIENTS:-4}" --seconds "${SECONDS_EACH:-10}" >"$data/figures"
    sed -n 's/^.*p99[^ ]* \([0-9.]*\).*/\1/p' "$data/figures" | head -n 1 >>"$data/$1"
}
for round in $(seq "$rounds"); do
    turns without
    (
        # Another one follows at once, so that one runs as long as clients are measured.
        while [ ! -e "$data/enough" ]; do
            rm -rf "$data/backup"
            elapsed backup "$bin/stoa" backup "$data/backup" --data-dir "$data" "${limit[@]}"
        done
    ) >"$data/backups" &
    backups=$!
    turns with
    touch "$data/enough"
    wait "$backups"
    rm "$data/enough"
    sed "s/^/round $round: /" "$data/backups"
done
for state in without with; do
    echo "p99 of acknowledgements $state a backup, ms: $(sort -n "$data/$state" | tr '\n' ' ')"
done

# What nobody changes any more, so that its content can be compared.
kill "$server" && wait "$server" || true
server=''
rm -rf "$data/backup"
elapsed 'backup without load' "$bin/stoa" backup "$data/backup" --data-dir "$data" "${limit[@]}"
du -sm "$data/backup" | awk '{ print "backup: " $1 " MB" }'
elapsed verify sh -c "'$bin/stoa' backup verify '$data/backup' --scratch '$data/scratch' || [ \$? -le 2 ]"
elapsed restore "$bin/stoa" restore "$data/backup" --data-dir "$data/restored"
content() {
    "$bin/stoa" export --database --output "$data/export" --data-dir "$1" >/dev/null
    tail -n 1 "$data/export" | sed 's/.*content_sha256":"//; s/".*//'
}
if [ "$(content "$data")" = "$(content "$data/restored")" ]; then
    echo "the content is the same"
else
    echo "the content differs" >&2
    exit 1
fi
