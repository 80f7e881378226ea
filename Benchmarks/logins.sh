#!/bin/sh
# Measures a storm of sign-ins beside signed-in clients, and whether the time of a failed sign-in reveals
# that a name exists; prints lines of "name value". SAMPLES, RATE and SECONDS_OF_STORM set the load.
set -eu
cd "$(dirname "$0")/.."
. Benchmarks/server.sh

serve --trusted-proxies 127.0.0.1
echo benchmark-password | "$bin/stoa" user add bench --password-stdin --data-dir "$data" >/dev/null
# As many accounts as the storm needs, all with that password.
sql -c "
    INSERT INTO users (id, name, password_hash)
    SELECT gen_random_uuid(), 'storm-' || n, password_hash FROM users, generate_series(0, 999) n
    WHERE name = 'bench'"
"$bin/stoa-bench" login-storm --server "$url" --user bench --password benchmark-password \
    --process "$server" --rate "${RATE:-200}" --seconds "${SECONDS_OF_STORM:-30}"
[ "${SAMPLES:-2000}" = 0 ] || "$bin/stoa-bench" sign-in-timing --server "$url" --samples "${SAMPLES:-2000}" --accounts 1000
