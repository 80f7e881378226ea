#!/bin/sh
# Measures how many nodes and turns PostgreSQL's notifications carry: a PostgreSQL of its own, migrated,
# with real connections of NODES nodes, for each of RATES turns a minute. Prints lines of "name value".
set -eu
cd "$(dirname "$0")/.."
bin=${BIN:-.build/release}
programs=${PROGRAMS:-$(pg_config --bindir)}
data=$(mktemp -d /var/tmp/stoa-notifications.XXXXXX)
# PostgreSQL does not run as root.
as() { if [ "$(id -u)" = 0 ]; then setpriv --reuid postgres --regid postgres --init-groups "$@"; else "$@"; fi; }
trap 'as "$programs/pg_ctl" -D "$data/data" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$data"' EXIT
[ "$(id -u)" != 0 ] || chown postgres "$data"
as "$programs/initdb" -D "$data/data" -U stoa -A trust --no-sync >/dev/null
as "$programs/pg_ctl" -D "$data/data" -w -l "$data/log" \
    -o "-c listen_addresses= -c max_connections=400 -c unix_socket_directories=$data" start >/dev/null
as "$programs/createdb" -h "$data" -U stoa stoa
"$bin/stoa" migrate --database-url "host=$data user=stoa dbname=stoa" >/dev/null 2>&1
for nodes in ${NODES:-20 60}; do
    for rate in ${RATES:-600 3000 10000 30000}; do
        echo "nodes $nodes"
        "$bin/stoa-bench" notifications --database-url "host=$data user=stoa dbname=stoa" --nodes "$nodes" \
            --turns-per-minute "$rate" --postmaster "$(head -n 1 "$data/data/postmaster.pid")" --seconds "${SECONDS_EACH:-15}"
    done
done
