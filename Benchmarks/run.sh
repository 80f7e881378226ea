#!/bin/sh
# Measures Stoa beside its limits on this machine, three times each, and writes the medians to
# docs/benchmarks.md and Benchmarks/results.json. Called by `make bench`, which builds first.
set -eu
cd "$(dirname "$0")/.."
bin=.build/release
data=$(mktemp -d /tmp/stoa-bench.XXXXXX)
chmod 755 "$data"
server=''
cleanup() {
    [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null || true
    rm -rf "$data"
}
trap cleanup EXIT

"$bin/stoa" serve --data-dir "$data" --port 0 --queue-limit 100000 --log-level error >"$data/out" &
server=$!
until grep -q '^ready' "$data/out" 2>/dev/null; do
    kill -0 "$server" && sleep 0.1
done
url=$(sed -n 's/^ready //p' "$data/out")
echo benchmark-password | "$bin/stoa" user add bench --password-stdin --data-dir "$data" >/dev/null
who="--server $url --user bench --password benchmark-password"
sql() { psql -h "$data/postgres/socket" -U stoa -qAt stoa "$@"; }
pgbench=$(ls /usr/lib/postgresql/*/bin/pgbench 2>/dev/null | tail -n 1)

# The limit of committed questions: the same statements by pgbench, on as many connections.
prepare_limit() {
    sql -c "CREATE TABLE IF NOT EXISTS bench_clients (client int, conversation uuid, user_id uuid);
        TRUNCATE bench_clients;
        INSERT INTO bench_clients SELECT row_number() OVER () - 1, c.id, m.user_id
        FROM conversations c JOIN members m ON m.conversation_id = c.id
        WHERE c.leaf_id IS NOT NULL LIMIT 8"
}
limit() {
    "${pgbench:-pgbench}" -h "$data/postgres/socket" -U stoa -n -c 8 -j 1 -T 5 -f Benchmarks/turn.sql stoa 2>/dev/null |
        sed -n 's/^tps = \([0-9]*\).*/limit_turns_per_second \1/p'
}
# Until every answer is made: the next measurement begins in quiet.
settle() { until [ "$(sql -c 'SELECT count(*) FROM generations')" = 0 ]; do sleep 0.2; done; }
cpu_ticks() { awk '{print $14 + $15}' "/proc/$server/stat"; }

for run in 1 2 3; do
    "$bin/stoa-bench" turns $who >>"$data/figures"
    [ "$run" -gt 1 ] || prepare_limit
    settle
    limit >>"$data/figures"
    before=$(cpu_ticks)
    "$bin/stoa-bench" fanout $who >>"$data/figures"
    echo "fanout_server_cpu_seconds $(awk "BEGIN {print ($(cpu_ticks) - $before) / 100}")" >>"$data/figures"
    "$bin/stoa-bench" engine --model "$data/models/stoa-demo" >>"$data/figures"
done

median() { awk -v name="$1" '$1 == name {print $2}' "$data/figures" | sort -g | sed -n 2p; }
turns=$(median turns_per_second)
most=$(median limit_turns_per_second)
ratio=$(awk "BEGIN {printf \"%.2f\", $turns / $most}")
cpu=$(awk -F': ' '/^model name/ {print $2; exit}' /proc/cpuinfo)
cat >docs/benchmarks.md <<TABLE
# Benchmarks

\`make bench\` measures and writes this page: medians of three runs, server, clients and limits on the same machine.

Machine: $cpu, $(nproc) cores; $(uname -s); $("$bin/stoa" version); PostgreSQL $(sql -c 'SHOW server_version'); $(date -u +%F).

| what | figure | beside it |
|---|---:|---|
| questions acknowledged (committed) a second, 16 clients, while their answers are made | $turns | pgbench with the same statements on 8 connections, nothing else running: $most; ratio $ratio |
| acknowledgement, median / 99th percentile | $(median turn_ack_p50_ms) / $(median turn_ack_p99_ms) ms | |
| frames a second to 100 watchers of one conversation, 20 answers of 165 tokens | $(median fanout_frames_per_second) | the clients share the machine |
| between the first and the last of 100 watchers seeing an answer's end | $(median fanout_spread_p50_ms) ms | |
| the server's CPU for that | $(median fanout_server_cpu_seconds) s | the engine's share included |
| demo model, decode | $(median engine_decode_tokens_per_second) tokens/s | 3.9 M parameters, 2.2 MB of weights |
| demo model, reading a prompt | $(median engine_prompt_tokens_per_second) tokens/s | |
| demo model, loading | $(median engine_load_ms) ms | |
TABLE
awk 'BEGIN {print "["} {printf "%s  {\"name\": \"%s\", \"value\": %s}", (NR > 1 ? ",\n" : ""), $1, $2} END {print "\n]"}' \
    "$data/figures" >Benchmarks/results.json
cat docs/benchmarks.md
