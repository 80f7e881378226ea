#!/bin/sh
# Measures Stoa beside its limits on this machine, three times each, and writes the medians to
# docs/develop/benchmarks.md and Benchmarks/results.json. Run by `make bench`, which builds first.
set -eu
cd "$(dirname "$0")/.."
bin=${BIN:-.build/release}
data=$(mktemp -d /tmp/stoa-bench.XXXXXX)
chmod 755 "$data"
server='' instant=''
cleanup() {
    [ -z "$instant" ] || { kill -9 "$instant" && wait "$instant"; } 2>/dev/null || true
    [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null || true
    rm -rf "$data"
}
trap cleanup EXIT

"$bin/stoa" serve --data-dir "$data" --port 0 --queue-limit 100000 --questions-per-minute 0 --connections-per-user 0 --log-level error >"$data/out" &
server=$!
until grep -q '^ready' "$data/out" 2>/dev/null; do
    kill -0 "$server" && sleep 0.1
done
url=$(sed -n 's/^ready //p' "$data/out")
echo benchmark-password | "$bin/stoa" user add bench --password-stdin --data-dir "$data" >/dev/null
who="--server $url --user bench --password benchmark-password"
sql() { psql -h "$data/postgres/socket" -U stoa -qAt stoa "$@"; }
pgbench=$(ls /usr/lib/postgresql/*/bin/pgbench 2>/dev/null | tail -n 1)

# A second server on its own database, whose engine answers at once: it measures everything but the
# engine.
sql -c 'CREATE DATABASE instant'
database="host=$data/postgres/socket port=5432 user=stoa dbname=instant"
instant_sql() { psql -h "$data/postgres/socket" -U stoa -qAt instant "$@"; }
"$bin/stoa-bench" serve --database-url "$database" --data-dir "$data/instant" >"$data/instant.out" 2>&1 &
instant=$!
until grep -q '^ready' "$data/instant.out"; do kill -0 "$instant" && sleep 0.1; done
instant_url=$(sed -n 's/^ready //p' "$data/instant.out")
# Users with open sign-ins, which avoids the cost of password hashing.
instant_sql -c "WITH added AS (
        INSERT INTO users (id, name, password_hash)
        SELECT gen_random_uuid(), 'bench ' || n, 'nobody' FROM generate_series(0, 199) n
        RETURNING id, name)
    INSERT INTO sessions (id, user_id, token_hash, expires_at)
    SELECT gen_random_uuid(), id,
        sha256(convert_to(encode(sha256(convert_to(name, 'UTF8')), 'hex'), 'UTF8')),
        now() + interval '1 day' FROM added"

# The upper limit of whole turns: the statements that the server sends for one turn, prepared as the
# server does, run by pgbench on as many connections, with nothing else running.
log_statements() { # all|none: for new connections only, so the server has to reconnect
    instant_sql -c "ALTER DATABASE instant SET log_statement = '$1'" \
        -c "ALTER DATABASE instant SET log_error_verbosity = 'default'" \
        -c "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = 'instant' AND pid <> pg_backend_pid()" >/dev/null
    sleep 2
}
prepare_limit() {
    log=$(find "$data/postgres" -path '*/log/*.log' | head -n 1)
    log_statements all
    start=$(wc -c <"$log")
    "$bin/stoa-bench" whole-turns --server "$instant_url" --clients 1 --seconds 2 >/dev/null
    log_statements none
    tail -c "+$start" "$log" >"$data/turn.log"
    # As short as those of the server's turns.
    instant_sql -c "CREATE TABLE bench_conversations AS
        SELECT row_number() OVER () AS n, c.id AS conversation, m.user_id
        FROM conversations c JOIN members m ON m.conversation_id = c.id
        WHERE c.leaf_id IS NOT NULL" -c 'CREATE UNIQUE INDEX ON bench_conversations (n)'
    # Autovacuum may not have come yet; without its figures the statements are planned badly.
    instant_sql -c 'VACUUM ANALYZE'
    python3 Benchmarks/turn.py "$data/turn.log" "$(instant_sql -c 'SELECT count(*) FROM bench_conversations')" \
        >"$data/turn.sql"
}
limit() {
    "${pgbench:-pgbench}" -h "$data/postgres/socket" -U stoa -n -M prepared -c 8 -j 1 -T 6 -f "$data/turn.sql" instant 2>"$data/pgbench.err" |
        sed -n 's/^tps = \([0-9]*\).*/limit_whole_turns_per_second \1/p'
}
# Waits until every run has ended, so that the next measurement starts idle.
settle() { until [ "$(sql -c 'SELECT count(*) FROM generations')" = 0 ]; do sleep 0.2; done; }
cpu_ticks() { awk '{print $14 + $15}' "/proc/$server/stat"; }

for run in 1 2 3; do
    "$bin/stoa-bench" turns $who >>"$data/figures"
    settle
    "$bin/stoa-bench" whole-turns --server "$instant_url" >>"$data/figures"
    [ "$run" -gt 1 ] || prepare_limit
    limit >>"$data/figures"
    before=$(cpu_ticks)
    "$bin/stoa-bench" fanout $who >>"$data/figures"
    echo "fanout_server_cpu_seconds $(awk "BEGIN {print ($(cpu_ticks) - $before) / 100}")" >>"$data/figures"
    "$bin/stoa-bench" engine --part answers --model "$data/models/stoa-demo" >>"$data/figures"
done

median() { awk -v name="$1" '$1 == name {print $2}' "$data/figures" | sort -g | sed -n 2p; }
turns=$(median whole_turns_per_second)
most=$(median limit_whole_turns_per_second)
ratio=$(awk "BEGIN {printf \"%.2f\", $turns / $most}")
# The sections that page.sh and engine.sh write, at the end of the page.
others=$(sed -n '/^## /,$p' docs/develop/benchmarks.md)
cpu=$(awk -F': ' '/^model name/ {print $2; exit}' /proc/cpuinfo)
cat >docs/develop/benchmarks.md <<TABLE
# Benchmarks

\`make bench\` measures and writes this page: medians of three runs; server, clients and the compared limits run on the same machine.

Machine: $cpu, $(nproc) cores; $(uname -s); $("$bin/stoa" version); PostgreSQL $(sql -c 'SHOW server_version'); $(date -u +%F).

| what | figure | comparison |
|---|---:|---|
| whole turns per second: question and answer committed and broadcast; 200 connections, an engine that answers immediately | $turns | pgbench (prepared) with the statements of one turn on 8 connections, nothing else running: $most; ratio $ratio |
| a whole turn there, median / 99th percentile | $(median whole_turn_p50_ms) / $(median whole_turn_p99_ms) ms | |
| questions acknowledged (committed) per second, 16 clients, while the demo model answers | $(median turns_per_second) | |
| acknowledgement, median / 99th percentile | $(median turn_ack_p50_ms) / $(median turn_ack_p99_ms) ms | |
| frames per second to 100 subscribers of one conversation, 20 answers of 165 tokens | $(median fanout_frames_per_second) | the clients share the machine |
| between the first and the last of 100 subscribers receiving an answer's end | $(median fanout_spread_p50_ms) ms | |
| the server's CPU for that | $(median fanout_server_cpu_seconds) s | including the engine |
| demo model, decode | $(median engine_decode_tokens_per_second) tokens/s | 3.9 M parameters, 4.4 MB of weights |
| demo model, reading a prompt | $(median engine_prompt_tokens_per_second) tokens/s | |
| demo model, loading | $(median engine_load_ms) ms | |
TABLE
[ -z "$others" ] || printf '\n%s\n' "$others" >>docs/develop/benchmarks.md
awk 'BEGIN {print "["} {printf "%s  {\"name\": \"%s\", \"value\": %s}", (NR > 1 ? ",\n" : ""), $1, $2} END {print "\n]"}' \
    "$data/figures" >Benchmarks/results.json
cat docs/develop/benchmarks.md
