#!/bin/sh
# Measures idle connections beside active ones, on stoa-echo and on the chat server, and one slow consumer
# among many readers; prints Markdown tables. Server and load generator have one core each, which are kept
# awake; PostgreSQL shares the generator's core, unless DATABASE_CORES names others, with the lower
# priority DATABASE_NICE (0 to 19). HELD, ACTIVE, WATCHERS and SECONDS_EACH set the load; CASES selects
# the cases.
set -eu
cd "$(dirname "$0")/.."
bin=${BIN:-.build/release}
held=${HELD:-19000} active=${ACTIVE:-200} watchers=${WATCHERS:-1000} seconds=${SECONDS_EACH:-60}
server_cores=${SERVER_CORES:-0} load_cores=${LOAD_CORES:-1}
database_cores=${DATABASE_CORES:-$load_cores}
data=$(mktemp -d /tmp/stoa-connections.XXXXXX)
chmod 755 "$data"
database='' server='' awake=''
stop() {
    [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null || true
    server=''
}
cleanup() {
    stop
    [ -z "$database" ] || { kill "$database" && wait "$database"; } 2>/dev/null || true
    # shellcheck disable=SC2086
    [ -z "$awake" ] || kill $awake 2>/dev/null || true
    rm -rf "$data"
}
trap cleanup EXIT
ulimit -n "$(ulimit -Hn)"

# A virtual processor that sleeps may take milliseconds to wake while its host runs others; that would be
# the 99th percentile of nearly idle servers. These loops only run when nothing else would.
for core in $(echo "$server_cores,$load_cores" | tr , ' '); do
    taskset -c "$core" chrt -i 0 sh -c 'while :; do :; done' &
    awake="$awake $!"
done

await() { # PROCESS OUTPUT
    until grep -q '^ready' "$2" 2>/dev/null; do
        kill -0 "$1" || { cat "$2" >&2; exit 1; }
        sleep 0.1
    done
}

# Starts a server on its core, and sets $url.
start() { # COMMAND...
    taskset -c "$server_cores" "$@" >"$data/out" 2>&1 &
    server=$!
    await "$server" "$data/out"
    url=$(sed -n 's/^ready [a-z]*:/http:/p' "$data/out")
}

bench() { # ARGUMENTS...
    taskset -c "$load_cores" "$bin/stoa-bench" "$@" --server "$url" --process "$server" --seconds "$seconds" \
        >"$data/figures" || { cat "$data/figures" >&2; exit 1; }
}

figure() { awk -v name="$1" '$1 == name {print $2}' "$data/figures"; }

# Starts a server that is only used for its PostgreSQL.
start_database() {
    nice -n "${DATABASE_NICE:-0}" taskset -c "$database_cores" \
        "$bin/stoa" serve --data-dir "$data" --port 0 --log-level error >"$data/database" 2>&1 &
    database=$!
    await "$database" "$data/database"
}

sql() { psql -h "$data/postgres/socket" -U stoa -qAt -v ON_ERROR_STOP=1 "$@"; }
connection() { echo "host=$data/postgres/socket port=5432 user=stoa dbname=$1"; }

# Users with open sign-ins, twenty in each conversation, which avoids the cost of password hashing.
fill() { # DATABASE COUNT
    sql "$1" <<SQL
CREATE TEMPORARY TABLE people AS
    SELECT gen_random_uuid() AS id, n, 'bench ' || n AS name FROM generate_series(0, $2 - 1) n;
CREATE TEMPORARY TABLE talks AS
    SELECT gen_random_uuid() AS id, n FROM generate_series(0, ($2 - 1) / 20) n;
INSERT INTO users (id, name, password_hash) SELECT id, name, 'nobody' FROM people;
INSERT INTO sessions (id, user_id, token_hash, expires_at)
    SELECT gen_random_uuid(), id,
        sha256(convert_to(encode(sha256(convert_to(name, 'UTF8')), 'hex'), 'UTF8')),
        now() + interval '1 day' FROM people;
INSERT INTO conversations (id, title, model, event_number)
    SELECT id, 'Talk ' || n, 'stoa-demo', 0 FROM talks;
INSERT INTO members (conversation_id, user_id, role, list_u)
    SELECT t.id, p.id, CASE p.n % 20 WHEN 0 THEN 'owner' ELSE 'editor' END, 1
    FROM people p JOIN talks t ON t.n = p.n / 20;
INSERT INTO list_positions (user_id, u) SELECT id, 1 FROM people;
ANALYZE;
SQL
}

idle_row() { # NAME
    echo "| $1 | $(figure idle_alone_p50_ms) / $(figure idle_alone_p99_ms) ms" \
        "| $(figure idle_beside_p50_ms) / $(figure idle_beside_p99_ms) ms | $(figure idle_p99_ratio)" \
        "| $(figure idle_bytes_by_connection) B | $(figure idle_bytes_by_connection_later) B |"
}

for case in ${CASES:-echo chat slow-consumer}; do
    case $case in
    echo)
        start "$bin/stoa-echo" --port 0
        bench idle-connections --echo --held "$held" --active "$active"
        stop
        idle_row '`stoa-echo`' >>"$data/idle-rows"
        ;;
    chat)
        [ -n "$database" ] || start_database
        sql stoa -c 'CREATE DATABASE idle'
        start "$bin/stoa" serve --database-url "$(connection idle)" --data-dir "$data/idle" --port 0 \
            --connections-per-user 0 --connections-per-address 0 --log-level error
        fill idle "$((held + active))"
        bench idle-connections --held "$held" --active "$active"
        stop
        idle_row 'chat server' >>"$data/idle-rows"
        ;;
    slow-consumer)
        [ -n "$database" ] || start_database
        sql stoa -c 'CREATE DATABASE slow_consumer'
        start "$bin/stoa-bench" serve --database-url "$(connection slow_consumer)" --data-dir "$data/slow-consumer" \
            --pace 40
        fill slow_consumer 1
        bench slow-consumer --watchers "$watchers" --pace 40
        stop
        for name in reading paused; do
            if [ "$name" = reading ]; then does=reads; else does="does not read"; fi
            echo "| it $does | $(figure slow_consumer_${name}_delivery_p50_ms) / $(figure slow_consumer_${name}_delivery_p99_ms) ms" \
                "| $(figure slow_consumer_${name}_spread_p99_ms) ms | $(figure slow_consumer_${name}_memory_max_mb) MiB" \
                "| $(figure slow_consumer_${name}_pieces) |"
        done >"$data/slow-consumer-rows"
        cp "$data/figures" "$data/slow-consumer-figures"
        ;;
    esac
done

if [ -e "$data/idle-rows" ]; then
    echo "| $held held, $active active | p50 / p99 alone | beside idle connections | ratio of p99 | memory per idle connection | after the requests |"
    echo '|---|---:|---:|---:|---:|---:|'
    cat "$data/idle-rows"
fi
if [ -e "$data/slow-consumer-rows" ]; then
    cp "$data/slow-consumer-figures" "$data/figures"
    echo
    echo "| one of $watchers readers | delivery to the others, p50 / p99 | behind the first of them, p99 | the server's memory, most | pieces that it got |"
    echo '|---|---:|---:|---:|---:|'
    cat "$data/slow-consumer-rows"
    echo
    echo "Of $(figure slow_consumer_words) pieces. Ratio of p99: $(figure slow_consumer_p99_ratio). Text: $(figure slow_consumer_text_bytes) bytes, exact: $(figure slow_consumer_text_is_exact)."
fi
