#!/bin/sh
# Measures what Stoa adds between clients that stream answers and an engine on another machine: 32 clients
# ask an engine that costs nothing directly, through Stoa, and through litellm's proxy, if the python in
# $LITELLM has it (pip install 'litellm[proxy]'). Each is asked RUNS times in turn; medians are printed as
# a table, and with --write put into docs/develop/benchmarks.md.
#
# Server and PostgreSQL, or the proxy, run on one core; engine and clients on the other. The engine sends a
# token every PAUSE ms in each answer: time to first token is what is between. With PAUSE=0 it sends all at
# once: tokens a second are what can get through.
set -eu
cd "$(dirname "$0")/.."
bin=${BIN:-.build/release}
runs=${RUNS:-5} clients=${CLIENTS:-32} tokens=${TOKENS:-200} litellm=${LITELLM:-}
server_cores=${SERVER_CORES:-0} load_cores=${LOAD_CORES:-1}
work=$(mktemp -d /var/tmp/stoa-remote.XXXXXX)
chmod 755 "$work"
processes=''
stop() {
    for process in $processes; do kill "$process" 2>/dev/null || true; done
    for process in $processes; do wait "$process" 2>/dev/null || true; done
    processes=''
}
trap 'stop; rm -rf "$work"' EXIT

ready() { # FILE: prints the URL after "ready"
    tries=0
    until grep -q '^ready ' "$1"; do
        tries=$((tries + 1))
        [ "$tries" -lt 300 ] || { cat "$1" >&2; exit 1; }
        sleep 0.1
    done
    sed -n 's/^ready //p' "$1" | head -n 1
}

start_engine() { # PAUSE
    taskset -c "$load_cores" "$bin/stoa-bench" remote-engine --tokens "$tokens" --pause "$1" >"$work/engine" 2>&1 &
    processes="$processes $!"
    engine=$(ready "$work/engine")
}

start_stoa() {
    rm -rf "$work/data"
    taskset -c "$server_cores" "$bin/stoa" serve --data-dir "$work/data" --host 127.0.0.1 --port 0 \
        --titles off --questions-per-minute 0 --slots 64 --max-tokens 2000 --threads 1 \
        --remote-engine "$engine model=phi as=remote slots=64" >"$work/stoa" 2>"$work/stoa.log" &
    processes="$processes $!"
    stoa=$(ready "$work/stoa")
    printf 'correct horse battery\n' | "$bin/stoa" user add ada --password-stdin --data-dir "$work/data" >/dev/null
    key=$(python3 - "$stoa" <<'PYTHON'
import json, sys, urllib.request
body = json.dumps({"username": "ada", "password": "correct horse battery"}).encode()
request = urllib.request.Request(
    sys.argv[1] + "/api/v1/session", body, {"Content-Type": "application/json"})
print(json.load(urllib.request.urlopen(request))["token"])
PYTHON
    )
}

start_litellm() {
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    cat >"$work/litellm.yaml" <<YAML
model_list:
  - model_name: remote
    litellm_params: {model: openai/phi, api_base: "$engine", api_key: none}
litellm_settings: {telemetry: false}
YAML
    proxy_key="sk-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
    LITELLM_MASTER_KEY=$proxy_key taskset -c "$server_cores" "$litellm" --config "$work/litellm.yaml" --host 127.0.0.1 --port "$port" \
        >"$work/litellm.log" 2>&1 &
    proxy=$!
    processes="$processes $proxy"
    tries=0
    until python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/health/liveliness')" 2>/dev/null; do
        tries=$((tries + 1))
        kill -0 "$proxy" && [ "$tries" -lt 300 ] || { tail "$work/litellm.log" >&2; exit 1; }
        sleep 0.3
    done
}

ask() { # NAME RUN URL MODEL [KEY]
    taskset -c "$load_cores" "$bin/stoa-bench" streams --url "$3" --model "$4" --clients "$clients" \
        --answers 5 ${5:+--key "$5"} | sed "s/^/$mode $1 $2 /" >>"$work/figures"
}

for mode in paced full; do
    case $mode in paced) start_engine "${PAUSE:-10}" ;; full) start_engine 0 ;; esac
    start_stoa
    [ -z "$litellm" ] || start_litellm
    run=0
    while [ "$run" -lt "$runs" ]; do
        run=$((run + 1))
        ask direct "$run" "$engine" phi
        ask stoa "$run" "$stoa/v1" remote "$key"
        [ -z "$litellm" ] || ask litellm "$run" "http://127.0.0.1:$port/v1" remote "$proxy_key"
        echo "$mode: run $run of $runs" >&2
    done
    stop
done
python3 Benchmarks/remote_engines_table.py "$work/figures" "$clients" "$tokens" "${PAUSE:-10}" "$runs" "$@"
