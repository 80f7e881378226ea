# Measures what additional loops take off the first one: broadcasts answers to WATCHERS connections on a
# server with 1, 2 and 3 loops. Prints lines of "name value", with each loop's CPU seconds. The clients
# share the machine.
set -eu
cd "$(dirname "$0")/.."
. Benchmarks/server.sh

# CPU seconds of the server's loops, by thread name.
loop_seconds() {
    for task in /proc/"$server"/task/*; do
        name=$(tr ' ' _ <"$task/comm")
        case $name in
        stoa | stoa_sockets_*) echo "$name $(sed 's/.*) //' "$task/stat" | awk '{ print ($12 + $13) / 100 }')" ;;
        esac
    done | awk '{ sum[$1] += $2 } END { for (name in sum) print name "_cpu_seconds", sum[name] }' | sort
}

for loops in 1 2 3; do
    rm -f "$data/out"
    serve --loops "$loops" --connections-per-user 0 --questions-per-minute 0
    [ "$loops" -gt 1 ] ||
        echo benchmark-password | "$bin/stoa" user add bench --password-stdin --data-dir "$data" >/dev/null
    {
        "$bin/stoa-bench" fanout --server "$url" --user bench --password benchmark-password \
            --watchers "${WATCHERS:-1000}"
        loop_seconds
    } | sed "s/^/loops_${loops}_/"
    kill "$server" && wait "$server"
    server=''
done
