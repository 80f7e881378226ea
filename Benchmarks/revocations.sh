#!/bin/sh
# Revokes rights of subscribers of busy conversations, by removing members, by their leaving, by ending
# their sign-ins, and looks for frames that arrive more than a second later; prints lines of "name value".
# COUNT and PEOPLE set the load.
set -eu
cd "$(dirname "$0")/.."
. Benchmarks/server.sh

serve --connections-per-user 0
# Users with open sign-ins, which avoids the cost of password hashing.
sql -c "WITH added AS (
        INSERT INTO users (id, name, password_hash)
        SELECT gen_random_uuid(), 'bench ' || n, 'nobody' FROM generate_series(0, ${PEOPLE:-40}) n
        RETURNING id, name)
    INSERT INTO sessions (id, user_id, token_hash, expires_at)
    SELECT gen_random_uuid(), id,
        sha256(convert_to(encode(sha256(convert_to(name, 'UTF8')), 'hex'), 'UTF8')),
        now() + interval '1 day' FROM added"
"$bin/stoa-bench" revocations --server "$url" --count "${COUNT:-10000}" --people "${PEOPLE:-40}" \
    --database-url "host=$data/postgres/socket port=5432 user=stoa dbname=stoa"
