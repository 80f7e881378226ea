#!/bin/sh
# Checks docs/reference/openapi.yaml by other projects' programs: openapi-spec-validator reads it, and
# schemathesis sends what it allows, and what it does not, to a server of its own with the demo model, and
# compares status, media type and body of each reply with it.
#
#     pip install openapi-spec-validator schemathesis websockets
#     Tools/openapi_check.sh [options of schemathesis run]
#
# PYTHON names the interpreter that has them. CONFIGURATION=debug uses the debug build. EXAMPLES (30) is how
# many requests fuzzing sends to each method. Exits with 77 if a program is not installed.
set -eu
cd "$(dirname "$0")/.."
python=$(command -v "${PYTHON:-python3}")
"$python" -c 'import openapi_spec_validator, schemathesis, websockets' 2>/dev/null || {
    echo 'skipped: openapi-spec-validator, schemathesis or websockets is not installed for Python'
    exit 77
}
stoa=.build/${CONFIGURATION:-release}/stoa
document=docs/reference/openapi.yaml
"$python" -m openapi_spec_validator "$document"

work=$(mktemp -d /var/tmp/stoa-openapi.XXXXXX)
server=
trap '[ -z "$server" ] || { kill "$server"; wait "$server" || true; }; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
password='correct horse battery'
metrics_token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
# PostgreSQL runs as another user if this is root.
chmod 755 "$work"
echo "$password" | "$stoa" user add checker --admin --password-stdin --data-dir "$work/data" >/dev/null
"$stoa" serve --data-dir "$work/data" --port "$port" --metrics-token "$metrics_token" \
    --questions-per-minute 0 --transfers-per-minute 0 --max-tokens 16 >"$work/log" 2>&1 &
server=$!

# A key with all scopes; the document with the name of the model, so that requests reach it; and what
# schemathesis needs to know.
"$python" - "$port" "$password" "$metrics_token" "$document" "$work" <<'PYTHON'
import json, sys, time, urllib.error, urllib.request
import websockets.sync.client, yaml

port, password, metrics_token, document, work = sys.argv[1:]
origin = f"http://127.0.0.1:{port}"
for _ in range(600):
    try:
        urllib.request.urlopen(f"{origin}/readyz")
        break
    except (urllib.error.URLError, ConnectionError):
        time.sleep(0.2)
else:
    sys.exit("the server is not ready after two minutes: see its log")
request = urllib.request.Request(
    f"{origin}/api/v1/session", json.dumps({"username": "checker", "password": password}).encode(),
    {"Content-Type": "application/json"})
token = json.load(urllib.request.urlopen(request))["token"]
with websockets.sync.client.connect(
        f"ws://127.0.0.1:{port}/ws", subprotocols=["stoa.v1"],
        additional_headers={"Authorization": f"Bearer {token}"}) as socket:
    scopes = ["read", "write", "account", "complete", "administer"]
    socket.send(json.dumps({"id": 1, "op": "key.create", "name": "check", "scopes": scopes}))
    while (reply := json.loads(socket.recv())).get("id") != 1:
        pass
key = reply["ok"]["secret"]
request = urllib.request.Request(f"{origin}/v1/models", headers={"Authorization": f"Bearer {key}"})
model = json.load(urllib.request.urlopen(request))["data"][0]["id"]
text = yaml.safe_load(open(document))
for name in ("ChatCompletionRequest", "ResponseRequest", "CompletionRequest"):
    schema = text["components"]["schemas"].get(name)
    if schema:
        schema["properties"]["model"] = {"type": "string", "enum": [model]}
for methods in text["paths"].values():
    for method in methods.values():
        # Each request has the key, beside which a cookie counts for nothing.
        if {"session": []} in method.get("security", []):
            method["security"].remove({"session": []})
yaml.safe_dump(text, open(f"{work}/openapi.yaml", "w"), sort_keys=False)
open(f"{work}/schemathesis.toml", "w").write(f"""
headers = {{ Authorization = "Bearer {key}" }}

# What no schema can say is refused with 400: that the last message is a user's, for example. A response
# with store: false cannot be read again.
[checks]
positive_data_acceptance.enabled = false
ensure_resource_availability.enabled = false

# QUERY is not among them: a method that RFC 9110 does not have is refused with 501.
[phases.coverage]
unexpected-methods = ["GET", "PUT", "POST", "DELETE", "PATCH", "TRACE"]

[[operations]]
include-path = "/metrics"
headers = {{ Authorization = "Bearer {metrics_token}" }}
""")
PYTHON
# In a folder of its own, since it keeps what it found beside itself.
cd "$work"
"$python" -m schemathesis.cli --config-file schemathesis.toml run openapi.yaml \
    --url "http://127.0.0.1:$port" --max-examples "${EXAMPLES:-30}" --seed "${SEED:-1}" \
    --request-timeout 30 "$@" || { status=$?; tail -20 log >&2; exit $status; }
