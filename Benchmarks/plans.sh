#!/bin/sh
# Fills a database like years of a team's use, lets PostgreSQL explain the most frequent statements,
# measures reading, and writes docs/develop/query-plans.md. Needs what `make build` builds.
#
# The statements are those that the server sends: it runs on that database for a moment, and
# PostgreSQL logs them with their plans (auto_explain).
set -eu
cd "$(dirname "$0")/.."
bin=.build/release
data=$(mktemp -d /tmp/stoa-plans.XXXXXX)
chmod 755 "$data"
server='' cluster=''
cleanup() {
    [ -z "$server" ] || { kill -9 "$server"; wait "$server"; } 2>/dev/null || true
    [ -z "$cluster" ] || { kill "$cluster"; wait "$cluster"; } 2>/dev/null || true
    rm -rf "$data"
}
trap cleanup EXIT

# Runs the cluster; this server gets no requests.
"$bin/stoa" serve --data-dir "$data" --port 0 --log-level error >"$data/cluster" 2>&1 &
cluster=$!
until grep -q '^ready' "$data/cluster"; do kill -0 "$cluster" && sleep 0.1; done
socket="$data/postgres/socket"
sql() { psql -h "$socket" -U stoa -qAt "$@"; }
sql stoa -c 'CREATE DATABASE plans'
database="host=$socket port=5432 user=stoa dbname=plans"
start() {
    "$bin/stoa-bench" serve --database-url "$database" --data-dir "$data/plans" >"$data/server" 2>&1 &
    server=$!
    until grep -q '^ready' "$data/server"; do kill -0 "$server" && sleep 0.1; done
}
start
kill -9 "$server"
wait "$server" 2>/dev/null || true
sql plans -v ON_ERROR_STOP=1 -f Benchmarks/fill.sql
sql plans -c 'VACUUM (ANALYZE)'
user=$(sql plans -c "SELECT id FROM bench_figures WHERE name = 'user'")
talk=$(sql plans -c "SELECT id FROM bench_figures WHERE name = 'conversation'")

figures=$("$bin/stoa-bench" store --database-url "$database" --user "$user" --conversation "$talk")
figure() { echo "$figures" | awk -v name="$1" '$1 == name {print $2}'; }

# Every statement of some turns, with its plan.
sql plans -c "ALTER DATABASE plans SET session_preload_libraries = 'auto_explain'"
for setting in log_min_duration=0 log_analyze=on log_buffers=on log_timing=on log_triggers=on; do
    sql plans -c "ALTER DATABASE plans SET auto_explain.${setting%=*} = '${setting#*=}'"
done
sql plans -c "INSERT INTO sessions (id, user_id, token_hash, expires_at)
    SELECT gen_random_uuid(), '$user',
        sha256(convert_to(encode(sha256('bench 0'), 'hex'), 'UTF8')), now() + interval '1 day'"
start
url=$(sed -n 's/^ready //p' "$data/server")
"$bin/stoa-bench" whole-turns --server "$url" --clients 1 --seconds 3 >/dev/null
"$bin/stoa-bench" store --database-url "$database" --user "$user" --conversation "$talk" --runs 3 >/dev/null
sleep 1
log=$(find "$data/postgres" -path '*/log/*.log' | head -n 1)
python3 Benchmarks/plans.py "$log" >"$data/plans.md"

cat >docs/develop/query-plans.md <<TABLE
# Query plans

Written by \`Benchmarks/plans.sh\` on a database with 100,000 conversations of one user, 300,000 events, 100,000 ended
runs, 1,000 queued answers and a branch of 1,000 messages ($(sql plans -c "SELECT pg_size_pretty(pg_database_size('plans'))")), PostgreSQL $(sql plans -c 'SHOW server_version'),
$(awk -F': ' '/^model name/ {print $2; exit}' /proc/cpuinfo), $(nproc) cores, $(date -u +%F).

| what | median | 99th percentile |
|---|---:|---:|
| a branch of 1,000 messages, read for a prompt | $(figure branch_1000_p50_ms) ms | $(figure branch_1000_p99_ms) ms |
| a list of 50 among 100,000 conversations | $(figure list_50_p50_ms) ms | $(figure list_50_p99_ms) ms |

The statements are those that the server executed for some turns there; the plans are as \`auto_explain\` logged them
(\`ANALYZE, BUFFERS\`); for each statement the execution with the median time. Times are in milliseconds; buffers are
pages of 8 KiB, found in memory / read.

$(cat "$data/plans.md")
TABLE
echo "$figures"
