-- A database for searching: a million messages in 20,000 conversations, in order of time. Words are
-- distributed as in real texts (the n-th word 1/n times as often as the first), a tenth of the sentences
-- is Chinese, and each message has its own number. One user sees all conversations, one 500, one 20.
SELECT setseed(0.42);
INSERT INTO users (id, name, password_hash)
    SELECT gen_random_uuid(), 'user ' || n, 'nobody' FROM generate_series(1, 1000) n;
CREATE TEMPORARY TABLE people AS
    SELECT id, row_number() OVER (ORDER BY length(name), name) AS number FROM users WHERE name LIKE 'user %';
CREATE TEMPORARY TABLE talks AS
    SELECT gen_random_uuid() AS id, n FROM generate_series(1, 20000) n;
INSERT INTO conversations (id, title, model, event_number)
    SELECT id, 'Talk ' || n, 'stoa-demo', 75 FROM talks;
INSERT INTO members (conversation_id, user_id, role, list_u)
    SELECT t.id, p.id, CASE p.number WHEN 1 THEN 'viewer' ELSE 'owner' END, t.n
    FROM talks t JOIN people p ON p.number = 1
        OR p.number = 2 AND t.n % 40 = 0 OR p.number = 3 AND t.n % 1000 = 0
        OR p.number = 4 + t.n % 900;
-- Made-up words of syllables; the most frequent are short, as in real texts.
CREATE TEMPORARY TABLE vocabulary AS
    SELECT n, string_agg(
        substr('bcdfghklmnprstvwbdlmnrst', 1 + floor(random() * 24)::integer, 1)
            || substr('aeioueaio', 1 + floor(random() * 9)::integer, 1)
            || CASE WHEN random() < 0.3 THEN substr('nrstlm', 1 + floor(random() * 6)::integer, 1) ELSE '' END,
        '') AS word
    FROM generate_series(1, 60000) n, generate_series(1, 1 + floor(log(n) * 0.6 + random() * 2)::integer)
    GROUP BY n;
DO $$
DECLARE
    words text[] := ARRAY(SELECT word FROM vocabulary ORDER BY n);
    sentences text[] := '{}';
    sentence text;
    talks uuid[] := ARRAY(SELECT id FROM talks ORDER BY n);
    writers uuid[] := ARRAY(SELECT id FROM people ORDER BY number);
    start bigint := (extract(epoch FROM now()) * 1000)::bigint - 1000000::bigint * 31536;
    talk integer;
BEGIN
    FOR s IN 1..100000 LOOP
        sentence := '';
        IF s % 10 = 0 THEN
            FOR w IN 1..16 LOOP
                sentence := sentence || chr(19968 + floor(exp(random() * ln(5000)))::integer);
            END LOOP;
        ELSE
            FOR w IN 1..8 LOOP
                sentence := sentence || words[floor(exp(random() * ln(60000)))::integer] || ' ';
            END LOOP;
        END IF;
        sentences[s] := sentence;
    END LOOP;
    FOR m IN 1..1000000 LOOP
        talk := 1 + floor(random() * 20000)::integer;
        INSERT INTO messages (conversation_id, id, depth, role, author_id, body, state, created_at)
        VALUES (
            talks[talk],
            (lpad(to_hex(start + m::bigint * 31536), 12, '0') || '7000' || '8000'
                || lpad(to_hex(m), 12, '0'))::uuid,
            1, 'user', writers[4 + talk % 900],
            sentences[1 + floor(random() * 100000)::integer] || '. '
                || sentences[1 + floor(random() * 100000)::integer] || ', '
                || sentences[1 + floor(random() * 100000)::integer] || '! '
                || sentences[1 + floor(random() * 100000)::integer] || ' no' || m,
            'complete', to_timestamp((start + m::bigint * 31536) / 1000.0));
    END LOOP;
END
$$;
CREATE TABLE search_figures AS SELECT n, word FROM vocabulary;
