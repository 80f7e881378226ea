#!/bin/sh
# Compares --threads on the processors that this script may use (taskset -c 0 Benchmarks/threads.sh … for
# a single one): users send long questions to a model of a real shape at once, while ping.py pings the
# event loop every five milliseconds. RUNS times (3), alternating, so that other load affects all alike;
# prints the medians as a table.
#
#   Benchmarks/threads.sh FOLDER THREADS…
#
# FOLDER has weights of a model's shape, written by Tools/real-shapes/write_checkpoint.py.
set -eu
[ $# -ge 2 ] || { sed -n 's/^#   /usage: /p' "$0" >&2; exit 64; }
model=$(cd "$1" && pwd)
shift
counts="$*"
cd "$(dirname "$0")/.."
. Benchmarks/server.sh

run=0
while [ "$run" -lt "${RUNS:-3}" ]; do
    run=$((run + 1))
    for threads in $counts; do
        rm -f "$data/out"
        # Nothing is cached between runs: each processes its prompts.
        serve --model "$model" --threads "$threads" --slots 8 --questions-per-minute 0 \
            --running-per-user 8 --kv-disk 0
        sql -c "WITH added AS (
                INSERT INTO users (id, name, password_hash)
                SELECT gen_random_uuid(), 'bench ' || n, 'nobody' FROM generate_series(0, 7) n
                WHERE NOT EXISTS (SELECT FROM users WHERE name = 'bench 0')
                RETURNING id, name)
            INSERT INTO sessions (id, user_id, token_hash, expires_at)
            SELECT gen_random_uuid(), id,
                sha256(convert_to(encode(sha256(convert_to(name, 'UTF8')), 'hex'), 'UTF8')),
                now() + interval '1 day' FROM added"
        for load in "prompts 4 ${PROMPT:-384} 1" "mixed 8 ${MIXED:-96} 32"; do
            set -- $load
            python3 Benchmarks/ping.py "$url" "$threads $1_ping" >>"$data/figures" &
            ping=$!
            "$bin/stoa-bench" answers --server "$url" --model "$model" --clients "$2" --prompt "$3" \
                --answer "$4" | sed "s/^/$threads $1_/" >>"$data/figures"
            kill "$ping" && wait "$ping"
        done
        kill "$server" && wait "$server"
        server=''
    done
done
# The median of each figure, one row for each number of threads.
sort -k1n -k2 -k3n "$data/figures" | awk '
    { key = $1 " " $2; values[key] = values[key] " " $3; count[key]++ }
    END { for (key in values) { split(values[key], all, " "); print key, all[int((count[key] + 1) / 2)] } }
' | sort -k2 -k1n
