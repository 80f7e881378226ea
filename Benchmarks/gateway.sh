#!/bin/sh
# Measures the gateway (stoa-echo) and other WebSocket servers in one run on this machine: server and load
# generator are pinned to one core each, every case runs five times, alternating between the servers, and
# medians are printed as a table, CPU per message first, and written to Benchmarks/gateway.json. The ratios
# to libwebsockets and uWebSockets are also medians: of the ratios of each run, where both were measured
# within seconds.
#
# Uses the peers that are installed: uWebSockets if UWS names a folder with its sources and those of uSockets
# in it, libwebsockets (Debian's libwebsockets-dev), SwiftNIO if swift can fetch it, and websockets and picows
# for the python3 in $PYTHON; for HTTP, `stoa serve` (after a build of it) beside nginx, with wrk.
# SECONDS_EACH=1 RUNS=1 gives a quick result; MINUTES=12 starts no further run that would end later; LOOPS=2
# measures two loops; CASES=http (or plain, compressed, tls) only those, and PEERS="uwebsockets nginx" only
# these servers beside our own.
set -eu
cd "$(dirname "$0")/.."
bin=${BIN:-.build/release}
seconds=${SECONDS_EACH:-3} runs=${RUNS:-5} loops=${LOOPS:-1} python=${PYTHON:-python3}
server_cores=${SERVER_CORES:-0} load_cores=${LOAD_CORES:-1} cases=${CASES:-plain compressed tls http}
minutes=${MINUTES:-} began=$(date +%s)
work=$(mktemp -d /tmp/stoa-gateway.XXXXXX)
server=''
stop() {
    [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null || true
    server=''
}
trap 'stop; rm -rf "$work"' EXIT
ulimit -n "$(ulimit -Hn)"

# Whether PEERS has SERVER, or is not set.
wants() { # SERVER
    case " ${PEERS-$1} " in *" $1 "*) ;; *) return 1 ;; esac
}

${CC:-cc} -O2 -o "$work/wsload" Benchmarks/Load/wsload.c -lssl -lcrypto -lz
servers=stoa compressing=stoa encrypting=stoa-tls
if [ -n "${UWS:-}" ] && wants uwebsockets; then
    make -s -C "$UWS/uSockets" WITH_OPENSSL=1 >"$work/out"
    ${CXX:-c++} -std=c++20 -O3 -flto=auto -DLIBUS_USE_OPENSSL -I"$UWS/src" -I"$UWS/uSockets/src" -o "$work/uws_echo" \
        Benchmarks/Load/uws_echo.cpp "$UWS"/uSockets/*.a -lz -lssl -lcrypto
    servers="$servers uwebsockets"
    compressing="$compressing uwebsockets"
    encrypting="$encrypting uwebsockets-tls"
fi
if wants libwebsockets &&
    ${CC:-cc} -O2 -o "$work/lws_echo" Benchmarks/Load/lws_echo.c -lwebsockets 2>/dev/null; then
    servers="$servers libwebsockets"
fi
nio=.build/nio-echo
if wants swift-nio &&
    swift build -c release --package-path Benchmarks/Load/nio-echo --scratch-path "$nio" >"$work/out" 2>&1; then
    servers="$servers swift-nio"
fi
for package in picows websockets; do
    if wants $package && "$python" -c "import $package" 2>/dev/null; then servers="$servers $package"; fi
done
web=''
if command -v wrk >/dev/null && [ -x "$bin/stoa" ] && [ -d .build/page/files ]; then
    web=stoa-http
    if wants nginx && command -v nginx >/dev/null; then web="$web nginx"; fi
fi
echo "servers: $servers; of HTTP: ${web:-none}" >&2
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 \
    -subj /CN=localhost -keyout "$work/key.pem" -out "$work/certificate.pem" 2>/dev/null

# A free port: the peers cannot choose one themselves.
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# One process, as the others are, and the page's files.
write_nginx_configuration() {
    cp -r .build/page/files "$work/page" 2>/dev/null || true
    cat >"$work/nginx.conf" <<END
daemon off; master_process off; pid $work/nginx.pid; error_log $work/nginx.log;
events { worker_connections 4096; }
http {
    access_log off; include /etc/nginx/mime.types; sendfile on; tcp_nopush on; open_file_cache max=100;
    keepalive_requests 100000000;
    server {
        listen 127.0.0.1:$port; root $work/page;
        location = /healthz { default_type text/plain; return 200 "ok\n"; }
    }
}
END
}

start() { # SERVER
    port=$(free_port)
    case $1 in
    stoa) set -- "$bin/stoa-echo" --port "$port" --loops "$loops" ;;
    stoa-tls) set -- "$bin/stoa-echo" --port "$port" --loops "$loops" --tls "$work/certificate.pem" "$work/key.pem" ;;
    uwebsockets) set -- "$work/uws_echo" "$port" ;;
    uwebsockets-tls) set -- "$work/uws_echo" "$port" "$work/certificate.pem" "$work/key.pem" ;;
    stoa-http)
        chmod 755 "$work"
        set -- "$bin/stoa" serve --data-dir "$work/data" --port "$port" --log-level error
        ;;
    nginx) write_nginx_configuration && set -- nginx -c "$work/nginx.conf" ;;
    libwebsockets) set -- "$work/lws_echo" "$port" ;;
    swift-nio) set -- "$nio/release/nio-echo" "$port" ;;
    *) set -- "$python" Benchmarks/Load/peer.py "$1" "$port" ;;
    esac
    taskset -c "$server_cores" "$@" >"$work/out" 2>&1 &
    server=$!
    tries=0
    until python3 -c "import socket; socket.create_connection(('127.0.0.1', $port)).close()" 2>/dev/null; do
        tries=$((tries + 1))
        kill -0 "$server" && [ "$tries" -lt 100 ] || { cat "$work/out" >&2; exit 1; }
        sleep 0.1
    done
}

measure() { # CASE ARGUMENTS OF wsload..., of the server $name
    case=$1
    shift
    start "$name"
    # A failed run prints its error, and does not count.
    if taskset -c "$load_cores" "$work/wsload" "$@" -p "$port" -P "$server" -d "$seconds" >"$work/result"; then
        printf '{"run": %s, "case": "%s", "server": "%s", "figures": %s}\n' \
            "$run" "$case" "$name" "$(cat "$work/result")" >>"$work/figures"
    else
        echo "$name: $case failed: $(cat "$work/result")" >&2
    fi
    stop
}

measure_http() { # CASE PATH HEADER..., of the server $name
    case=$1 path=$2
    shift 2
    start "$name"
    # The chat server listens before its database has started.
    curl -fs --retry 60 --retry-delay 1 --retry-all-errors -m 60 -o "$work/out" "http://127.0.0.1:$port/healthz"
    if taskset -c "$load_cores" python3 Benchmarks/Load/http.py "http://127.0.0.1:$port$path" "$server" "$seconds" "$@" \
        >"$work/result"; then
        printf '{"run": %s, "case": "%s", "server": "%s", "figures": %s}\n' \
            "$run" "$case" "$name" "$(cat "$work/result")" >>"$work/figures"
    else
        echo "$name: $case failed" >&2
    fi
    stop
}

each() { # CASE ARGUMENTS OF wsload...: with every server, one right after the other
    for name in $order; do measure "$@"; done
}

# Whether another run ends in time, if it takes as long as those before.
has_time() {
    now=$(date +%s)
    [ -z "$minutes" ] || [ "$run" -eq 0 ] ||
        [ $(((now - began) + (now - measuring) / run)) -le $((60 * minutes)) ]
}

order=$servers run=0 measuring=$(date +%s)
while [ "$run" -lt "$runs" ] && has_time; do
    run=$((run + 1))
    for kind in $cases; do
        case $kind in
        plain)
            each 'echo 64 B, 1 in flight' echo -u /echo -c 100 -k 1 -s 64
            each 'echo 64 B, 16 in flight' echo -u /echo -c 100 -k 16 -s 64
            each 'echo 16 KiB' echo -u /echo -c 100 -k 1 -s 16384
            each 'fan-out to 1000, 1 outstanding' fanout -u /broadcast -c 1000 -W 1 -s 120
            each 'fan-out to 1000, 16 outstanding' fanout -u /broadcast -c 1000 -W 16 -s 120
            each 'idle, 10000 connections' idle -u /echo -c 10000 -r 5000 -k 1
            each 'churn' churn -u /echo -c 64
            ;;
        compressed)
            for name in $compressing; do
                measure 'echo 1 KiB, compressed' echo -z -u /echo -c 100 -k 1 -s 1024
            done
            ;;
        tls)
            for name in $encrypting; do
                measure 'echo 64 B, 1 in flight, TLS' echo -E -u /echo -c 100 -k 1 -s 64
                measure 'echo 64 B, 16 in flight, TLS' echo -E -u /echo -c 100 -k 16 -s 64
                measure 'echo 16 KiB, TLS' echo -E -u /echo -c 100 -k 1 -s 16384
                measure 'fan-out to 1000, 1 outstanding, TLS' fanout -E -u /broadcast -c 1000 -W 1 -s 120
                measure 'idle, 10000 connections, TLS' idle -E -u /echo -c 10000 -r 1000 -k 1
                measure 'churn, TLS' churn -E -u /echo -c 64
                measure 'churn, TLS, resumed' churn -E -R -u /echo -c 64
            done
            ;;
        http)
            # The file of the page that is nearest to 3 KB.
            file=$(cd .build/page/files && find assets -name '*.js' -size -7 -printf '%s %p\n' |
                awk '{ d = $1 - 3000; print (d < 0 ? -d : d), $2 }' | sort -n | sed -n '1s/.* //p')
            for name in $web; do
                measure_http 'GET /healthz' /healthz
                measure_http 'GET a file of 3 KB' "/$file"
                measure_http 'GET it as a browser does' "/$file" 'Accept-Encoding: gzip, deflate, br, zstd'
            done
            ;;
        esac
    done
    # The machine's speed drifts: reverse the order in the next run.
    reversed=''
    for name in $order; do reversed="$name $reversed"; done
    order=$reversed
    reversed=''
    for name in $encrypting; do reversed="$name $reversed"; done
    encrypting=$reversed
    reversed=''
    for name in $web; do reversed="$name $reversed"; done
    web=$reversed
done
python3 Benchmarks/Load/table.py "$work/figures" Benchmarks/gateway.json
