#!/bin/sh
# Takes rights from people who watch busy conversations, by removing them, by their leaving, by ending their
# sign-ins, and looks for frames that come later than a second after; prints lines of "name value". COUNT
# and PEOPLE say how much.
set -eu
cd "$(dirname "$0")/.."
. Benchmarks/server.sh

serve --connections-per-user 0
# Users who are signed in: whose passwords are hashed is measured nowhere.
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
