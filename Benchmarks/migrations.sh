#!/usr/bin/env bash
# Applies migrations to a database with MESSAGES messages while clients read and write it 50 times a second,
# and prints how long each takes and the longest wait of a client: a migration must let them wait no longer
# than a second. FROM is the last migration before; only the later ones are measured. Migrations in steps
# run as Sources/Postgres/Migrations does it.
set -euo pipefail
cd "$(dirname "$0")/.."
. Benchmarks/server.sh
messages=${MESSAGES:-1000000} from=${FROM:-22}
conversations=$((messages / 50))
pgbench=$(ls /usr/lib/postgresql/*/bin/pgbench | tail -n 1)
serve
sql -c 'CREATE DATABASE checked'
host=$data/postgres/socket
run() { psql -h "$host" -U stoa -v ON_ERROR_STOP=1 -qAt checked "$@"; }

for file in Migrations/*.sql; do
    [ "$((10#$(basename "$file" | cut -c 1-4)))" -gt "$from" ] || run -1 -f "$file" 2>"$data/notices"
done
run <<SQL
INSERT INTO users (id, name, password_hash)
    SELECT md5('u' || n)::uuid, 'u' || n, 'none' FROM generate_series(1, 1000) n;
INSERT INTO conversations (id, title, model, event_number)
    SELECT md5('c' || n)::uuid, 'Talk ' || n, 'stoa-demo', 50 FROM generate_series(1, $conversations) n;
INSERT INTO members (conversation_id, user_id, role, list_u)
    SELECT md5('c' || n)::uuid, md5('u' || 1 + n % 1000)::uuid, 'owner', n
    FROM generate_series(1, $conversations) n;
INSERT INTO messages (conversation_id, id, depth, role, author_id, body, state, created_n)
    SELECT md5('c' || c)::uuid, md5('m' || c || ' ' || m)::uuid, 1, 'user', md5('u' || 1 + c % 1000)::uuid,
        'Line ' || m || ' of a talk, about as long as people write.', 'complete', m
    FROM generate_series(1, $conversations) c, generate_series(1, 50) m;
VACUUM ANALYZE;
SQL
cat >"$data/probe" <<SQL
\set n random(1, $conversations)
BEGIN;
SELECT event_number FROM conversations WHERE id = md5('c' || :n)::uuid FOR UPDATE;
INSERT INTO messages (conversation_id, id, depth, role, body, state, created_n)
    VALUES (md5('c' || :n)::uuid, gen_random_uuid(), 1, 'user', 'probe', 'complete', 51);
UPDATE members SET unread = 0 WHERE conversation_id = md5('c' || :n)::uuid;
SELECT count(*) FROM sessions s JOIN users u ON u.id = s.user_id;
SELECT count(*) FROM generations;
SELECT count(*) FROM share_links WHERE conversation_id = md5('c' || :n)::uuid;
COMMIT;
SQL
"$pgbench" -h "$host" -U stoa -n -f "$data/probe" -c 4 -R 50 -T 3600 -l --log-prefix="$data/log" checked \
    >"$data/pgbench" 2>&1 &
probe=$!
sleep 3

apply() { # FILE: in one transaction, or step by step
    if ! grep -qE '^-- stoa: (step|repeat)$' "$1"; then
        # Again if others had a lock for too long, or took locks in another order.
        for _ in 1 2 3 4 5 6 7 8 9; do
            if run -1 -c "SET LOCAL lock_timeout = '1s'" -f "$1"; then return; fi
            sleep 0.5
        done
        return 1
    fi
    rm -f "$data"/step.*
    awk -v folder="$data" '/^-- stoa: (step|repeat)$/ { name = sprintf("%s/step.%03d.%s", folder, ++n, $3); next }
        name { print > name }' "$1"
    for step in "$data"/step.*; do
        case $step in
        *.step) run -f "$step" ;;
        *) while ! psql -h "$host" -U stoa -v ON_ERROR_STOP=1 -At checked -f "$step" | grep -q ' 0$'; do :; done ;;
        esac
    done
}
echo '| migration | seconds | longest wait of a client, ms |'
echo '|---|---:|---:|'
for file in Migrations/*.sql; do
    [ "$((10#$(basename "$file" | cut -c 1-4)))" -gt "$from" ] || continue
    start=$EPOCHREALTIME
    apply "$file" 2>>"$data/notices"
    end=$EPOCHREALTIME
    # Those who waited have answers by then.
    sleep 2
    cat "$data"/log.* | awk -v start="$start" -v end="$end" -v name="$(basename "$file" .sql)" '
        { at = $5 + $6 / 1e6; if (at >= start && at < end + 2 && $3 > longest) longest = $3 }
        END { printf "| %s | %.1f | %.0f |\n", name, end - start, longest / 1000 }'
done
kill "$probe" && wait "$probe" || true
