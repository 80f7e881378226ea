# Sourced by the other scripts from the project's folder: a server in a temporary folder, which is removed
# when the script ends.

bin=${BIN:-.build/release}
data=$(mktemp -d /tmp/stoa-bench.XXXXXX)
chmod 755 "$data"
server=''
cleanup() {
    [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null || true
    rm -rf "$data"
}
trap cleanup EXIT

# Starts the server with additional settings, and sets $url and $server, its process id.
serve() {
    "$bin/stoa" serve --data-dir "$data" --port 0 --log-level error "$@" >"$data/out" &
    server=$!
    until grep -q '^ready' "$data/out" 2>/dev/null; do
        kill -0 "$server" && sleep 0.1
    done
    url=$(sed -n 's/^ready //p' "$data/out")
}

sql() { psql -h "$data/postgres/socket" -U stoa -qAt stoa "$@"; }
