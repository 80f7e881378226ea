-- Two conversations of 4,998 messages for page_stream.py: a question and an answer are still to come. Prints
-- their ids. The psql variable `name` is the user's name.
BEGIN;
CREATE TEMPORARY TABLE talks AS
    SELECT gen_random_uuid() AS id, n, u.id AS person FROM generate_series(1, 2) n, users u
    WHERE u.name = :'name';
INSERT INTO conversations (id, title, model, event_number)
    SELECT id, 'A long talk', 'waiting', 5000 FROM talks;
INSERT INTO members (conversation_id, user_id, role, list_u) SELECT id, person, 'owner', n FROM talks;
INSERT INTO list_positions (user_id, u) SELECT DISTINCT person, 2 FROM talks
    ON CONFLICT (user_id) DO UPDATE SET u = 2;
CREATE TEMPORARY TABLE branch AS
    SELECT t.id AS conversation, person, s, (
            -- Version 7, as the server creates them: they sort by time.
            lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - 5000 + s), 12, '0') || '7'
                || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15)
        )::uuid AS id
    FROM talks t, generate_series(1, 4998) s;
INSERT INTO messages
    (conversation_id, id, parent_id, depth, role, author_id, body, state, run_id, finish, created_n)
    SELECT b.conversation, b.id, p.id, b.s, CASE b.s % 2 WHEN 1 THEN 'user' ELSE 'assistant' END,
        CASE b.s % 2 WHEN 1 THEN b.person END,
        'Line ' || b.s || ' of a long talk, about as **long** as people write. ' || repeat('More. ', 20),
        'complete', CASE b.s % 2 WHEN 0 THEN gen_random_uuid() END,
        CASE b.s % 2 WHEN 0 THEN 'stop' END, b.s
    FROM branch b LEFT JOIN branch p ON p.conversation = b.conversation AND p.s = b.s - 1 ORDER BY b.s;
UPDATE conversations c SET leaf_id = b.id FROM branch b WHERE b.s = 4998 AND c.id = b.conversation;
COMMIT;
SELECT id FROM talks ORDER BY n;
