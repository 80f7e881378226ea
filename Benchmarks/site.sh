#!/bin/sh
# Measures what a site's parts cost on this machine, compares the model of a site with three real loads, plans
# teams of three sizes, and simulates a million connections. COSTS names the file for the costs; with REUSE=1
# they are read from it. ROUNDS and SECONDS_EACH set how long the loads take.
set -eu
cd "$(dirname "$0")/.."
bin=${BIN:-.build/release}
data=$(mktemp -d /tmp/stoa-site.XXXXXX)
trap 'rm -rf "$data"' EXIT
costs=${COSTS:-$data/costs.json}

[ -n "${REUSE:-}" ] ||
    "$bin/stoa-bench" site --rounds "${ROUNDS:-3}" --json "$costs"

status=0
"$bin/stoa-bench" site-check --costs "$costs" --seconds "${SECONDS_EACH:-150}" || status=$?

# An engine that gives 16 readers 30 tokens a second each.
engine='--engine-speeds 1:50,4:180,8:320,16:480 --prompt-speed 4000'
for people in 50 500 5000; do
    printf '\n%s people\n' "$people"
    # shellcheck disable=SC2086
    "$bin/stoa-bench" site-plan --costs "$costs" --people "$people" --readers 2 $engine
done
# 1,000, 10,000, 30,000 and 100,000 turns a minute of a million people.
for turns in 1.2 12 36 120; do
    printf '\na million people, %s turns an hour of each who is active\n' "$turns"
    # shellcheck disable=SC2086
    "$bin/stoa-bench" site-simulation --costs "$costs" --people 1000000 --active 0.05 \
        --turns-per-hour "$turns" --readers 2 $engine
done
exit "$status"
