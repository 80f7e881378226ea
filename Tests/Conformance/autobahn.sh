#!/bin/sh
# Runs Autobahn's fuzzing client against stoa-echo, and fails if a verdict is not OK or
# INFORMATIONAL. Runs sections 1 to 7, 9 and 10, and the short cases of compression (12 and 13);
# with ALL=1 all cases, which takes half an hour. Reports are in .build/autobahn/reports.
#
# The suite needs Python 2.7. The first run installs it below .build with the python2.7 on the PATH
# or of pyenv; or set WSTEST to an installed wstest.
set -eu
cd "$(dirname "$0")/../.."
bin=${BIN:-.build/release}
work=.build/autobahn
mkdir -p "$work/reports"

export PYENV_VERSION="${PYENV_VERSION:-2.7.18}"
wstest=${WSTEST:-$work/environment/bin/wstest}
if [ ! -x "$wstest" ]; then
    python2.7 --version >/dev/null 2>&1 || {
        echo 'conformance: no python2.7, which the Autobahn suite needs; or set WSTEST' >&2
        exit 1
    }
    python2.7 -m pip install --quiet --target "$work/virtualenv" 'virtualenv<20.16'
    PYTHONPATH=$work/virtualenv python2.7 -m virtualenv --quiet "$work/environment"
    "$work/environment/bin/pip" install --quiet autobahntestsuite==25.10.1
fi

: >"$work/out"
"$bin/stoa-echo" --port 0 >"$work/out" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
until grep -q '^ready' "$work/out"; do
    kill -0 "$server" || exit 1
    sleep 0.1
done
url=$(sed -n 's/^ready //p' "$work/out")

run() { # NAME CASES...: writes one report; a killed run writes none, so long sections are split
    name=$1
    shift
    cases=$(printf '"%s", ' "$@")
    cat >"$work/$name.json" <<JSON
{"outdir": "$work/reports/$name", "servers": [{"agent": "stoa", "url": "$url/echo"}],
 "cases": [${cases%, }], "exclude-cases": [], "exclude-agent-cases": {}}
JSON
    "$wstest" -m fuzzingclient -s "$work/$name.json" >"$work/$name.log" 2>&1 || {
        tail "$work/$name.log" >&2
        exit 1
    }
}

rm -rf "$work/reports"
run frames '1.*' '2.*' '3.*' '4.*' '5.*' '6.*' '7.*' '9.*' '10.*'
if [ "${ALL:-0}" = 1 ]; then
    for section in 12.1 12.2 12.3 12.4 12.5 13.1 13.2 13.3 13.4 13.5 13.6 13.7; do
        run "compression-$section" "$section.*"
    done
else
    run compression 12.1.1 12.1.2 12.1.3 12.1.4 12.2.1 12.2.2 12.3.1 12.3.2 12.4.1 12.5.1 \
        13.1.1 13.1.2 13.2.1 13.2.2 13.3.1 13.3.2 13.4.1 13.4.2 13.5.1 13.5.2 13.6.1 13.6.2 \
        13.7.1 13.7.2
fi

unset PYENV_VERSION
python3 - "$work/reports" <<'PYTHON'
import collections
import glob
import json
import sys

verdicts = {}
for path in glob.glob(sys.argv[1] + "/*/index.json"):
    with open(path) as file:
        verdicts.update(json.load(file)["stoa"])
good = {"OK", "INFORMATIONAL"}
bad = {
    case: verdict
    for case, verdict in verdicts.items()
    if verdict["behavior"] not in good or verdict["behaviorClose"] not in good
}
counts = collections.Counter(verdict["behavior"] for verdict in verdicts.values())
print(len(verdicts), "cases:", ", ".join(f"{count} {name}" for name, count in counts.items()))
for case, verdict in sorted(bad.items()):
    print(f"  {case}: {verdict['behavior']}, closing {verdict['behaviorClose']}")
sys.exit(1 if bad or not verdicts else 0)
PYTHON
