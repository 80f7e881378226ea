#!/bin/sh
# Fills a database with a million messages in 20,000 conversations, measures searching, and prints the
# table and the plans of docs/develop/search.md. Needs what `make build` builds; takes a quarter of an
# hour.
set -eu
cd "$(dirname "$0")/.."
bin=.build/release
data=$(mktemp -d /tmp/stoa-search.XXXXXX)
chmod 755 "$data"
cluster=''
cleanup() {
    [ -z "$cluster" ] || { kill "$cluster"; wait "$cluster"; } 2>/dev/null || true
    rm -rf "$data"
}
trap cleanup EXIT

# Runs the cluster; this server gets no requests.
"$bin/stoa" serve --data-dir "$data" --port 0 --log-level error >"$data/cluster" 2>&1 &
cluster=$!
until grep -q '^ready' "$data/cluster"; do kill -0 "$cluster" && sleep 0.1; done
socket="$data/postgres/socket"
sql() { psql -h "$socket" -U stoa -qAt -v ON_ERROR_STOP=1 "$@"; }
sql stoa -c 'CREATE DATABASE search'
database="host=$socket port=5432 user=stoa dbname=search"
"$bin/stoa" migrate --database-url "$database" >/dev/null
sql search -f Benchmarks/search-fill.sql >/dev/null
sql search -c 'VACUUM (ANALYZE)'

echo "| query | sees 20,000 conversations | 500 | 20 |"
echo "|---|---:|---:|---:|"
"$bin/stoa-bench" search --database-url "$database"
sql search -c "SELECT 'table ' || pg_size_pretty(pg_table_size('messages')) || ', index '
    || pg_size_pretty(pg_relation_size('messages_search'))"

sql search -c "ALTER DATABASE search SET session_preload_libraries = 'auto_explain'"
for setting in log_min_duration=0 log_analyze=on log_buffers=on; do
    sql search -c "ALTER DATABASE search SET auto_explain.${setting%=*} = '${setting#*=}'"
done
"$bin/stoa-bench" search --database-url "$database" --runs 5 >/dev/null
sleep 1
python3 Benchmarks/plans.py "$(find "$data/postgres" -path '*/log/*.log' | head -n 1)"
