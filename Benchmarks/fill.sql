-- A database of some age: 1,000 users; 100,000 conversations, which one user sees all of; a branch of
-- 1,000 messages; 100,000 ended runs, and 1,000 queued ones. No psql variables.
INSERT INTO users (id, name, password_hash)
SELECT gen_random_uuid(), 'old ' || n, 'nobody' FROM generate_series(1, 1000) n;
CREATE TEMPORARY TABLE people AS
    SELECT id, row_number() OVER () AS number FROM users WHERE name LIKE 'old %';
CREATE TEMPORARY TABLE talks AS
    SELECT gen_random_uuid() AS id, gen_random_uuid() AS question, gen_random_uuid() AS answer, n,
        now() - n * interval '1 minute' AS at
    FROM generate_series(1, 100000) n;
INSERT INTO conversations (id, title, model, event_number, created_at, updated_at)
    SELECT id, 'Talk ' || n, 'stoa-demo', 3, at, at FROM talks;
-- One user sees all of them; each has a second member.
INSERT INTO members (conversation_id, user_id, role, joined_at, activity_at, list_u)
    SELECT id, person, role, at, at, row_number() OVER (PARTITION BY person ORDER BY at) FROM (
        SELECT t.id, p.id AS person, 'owner' AS role, at FROM talks t JOIN people p ON p.number = 1
        UNION ALL
        SELECT t.id, p.id, 'editor', at FROM talks t JOIN people p ON p.number = 2 + n % 999
    ) everybody;
INSERT INTO list_positions (user_id, u) SELECT user_id, max(list_u) FROM members GROUP BY user_id;
INSERT INTO messages (conversation_id, id, depth, role, author_id, body, state, created_at, created_n)
    SELECT t.id, question, 1, 'user', p.id, 'What is ' || n || ' + 1?', 'complete', at, 1
    FROM talks t JOIN people p ON p.number = 1;
-- 100,000 ended runs, which must not slow down the queue.
INSERT INTO messages
    (conversation_id, id, parent_id, depth, role, body, state, run_id, finish, created_at, created_n)
    SELECT id, answer, question, 2, 'assistant', (n + 1) || ' is the answer.', 'complete',
        gen_random_uuid(), 'stop', at, 2
    FROM talks;
INSERT INTO events (conversation_id, n, name, message_id)
    SELECT id, 1, 'message.created', question FROM talks
    UNION ALL SELECT id, 2, 'message.created', answer FROM talks
    UNION ALL SELECT id, 3, 'message.completed', answer FROM talks;
UPDATE conversations c SET leaf_id = t.answer FROM talks t WHERE t.id = c.id;
-- The queue after that many runs: each row was inserted, claimed and deleted.
INSERT INTO generations (message_id, conversation_id, user_id)
    SELECT answer, t.id, p.id FROM talks t JOIN people p ON p.number = 2 + n % 999;
UPDATE generations SET attempts = 1, lease_until = now();
DELETE FROM generations;
-- The long branch, in the newest conversation.
CREATE TEMPORARY TABLE branch AS
    SELECT t.id AS conversation, CASE s WHEN 0 THEN t.answer ELSE (
            -- Version 7, as the server creates them: they sort by time.
            lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint + s), 12, '0') || '7'
                || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15)
        )::uuid END AS id, s
    FROM talks t, generate_series(0, 998) s WHERE n = 1;
INSERT INTO messages (conversation_id, id, parent_id, depth, role, body, state, run_id, finish, created_n)
    SELECT b.conversation, b.id, p.id, b.s + 2, CASE b.s % 2 WHEN 1 THEN 'user' ELSE 'assistant' END,
        'Line ' || b.s || ' of a long talk, about as long as people write. ' || repeat('More. ', 20),
        'complete', CASE b.s % 2 WHEN 0 THEN gen_random_uuid() END,
        CASE b.s % 2 WHEN 0 THEN 'stop' END, b.s + 4
    FROM branch b JOIN branch p ON p.s = b.s - 1 WHERE b.s > 0 ORDER BY b.s;
UPDATE conversations c SET leaf_id = b.id, event_number = 1100 FROM branch b
    WHERE b.s = 998 AND c.id = b.conversation;
-- Queued runs of 100 users.
INSERT INTO messages
    (conversation_id, id, parent_id, depth, role, body, state, run_id, created_n)
    SELECT id, gen_random_uuid(), question, 2, 'assistant', '', 'queued', gen_random_uuid(), 4
    FROM talks WHERE n BETWEEN 2 AND 1001;
INSERT INTO generations (message_id, conversation_id, user_id)
    SELECT m.id, m.conversation_id, p.id
    FROM messages m JOIN talks t ON t.id = m.conversation_id JOIN people p ON p.number = 2 + t.n % 100
    WHERE m.state = 'queued';
CREATE TABLE IF NOT EXISTS bench_figures (name text PRIMARY KEY, id uuid);
INSERT INTO bench_figures
    SELECT 'user', id FROM people WHERE number = 1
    UNION ALL SELECT 'conversation', conversation FROM branch WHERE s = 0
    UNION ALL SELECT 'leaf', id FROM branch WHERE s = 998
    ON CONFLICT (name) DO UPDATE SET id = excluded.id;
