-- Search sees who wrote a text: only an answer has a thinking part (docs/decisions/0050-thinking-parts.md).
-- What a person writes between the same tags is theirs, and is found. So the entries of a message depend
-- on its role, and a trigger writes them: to change the expression of a generated column would rewrite the
-- table.
-- stoa: works with 36

-- stoa: step
-- What is searched of a message.
CREATE OR REPLACE FUNCTION search_body(role text, body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN role = 'assistant' THEN search_answer(body) ELSE body END;

-- stoa: step
-- A message's entries in the index: its words, and beside them its author and its month.
CREATE OR REPLACE FUNCTION search_entries(
    role text, body text, author_id uuid, created_at timestamptz
) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN body = '' THEN ''::tsvector ELSE
    search_words(search_body(role, body)) || array_to_tsvector(array_remove(ARRAY[
        'author:' || author_id::text,
        'month:' || (
            extract(year FROM created_at AT TIME ZONE 'UTC') * 12
                + extract(month FROM created_at AT TIME ZONE 'UTC') - 1)::integer::text
    ], NULL))
END;

-- stoa: step
CREATE OR REPLACE FUNCTION index_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.search := search_entries(NEW.role, NEW.body, NEW.author_id, NEW.created_at);
    RETURN NEW;
END
$$;

-- stoa: step
-- While the column is generated, what the trigger writes is ignored.
CREATE OR REPLACE TRIGGER messages_index
    BEFORE INSERT OR UPDATE OF role, body, author_id, created_at ON messages
    FOR EACH ROW EXECUTE FUNCTION index_message();

-- stoa: step
ALTER TABLE messages ALTER COLUMN search DROP EXPRESSION IF EXISTS;

-- stoa: step
-- As in migration 14: of the whole text that it is given.
CREATE OR REPLACE FUNCTION search_words(body text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 400 SET search_path FROM CURRENT AS $$
DECLARE
    -- The same characters as UnspacedScript in Sources/ChatCore/Search.
    unspaced CONSTANT text := '\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf'
        || '\u2190-\u2bff\u2e80-\u2fdf\u3005-\ua4cf\ua960-\ua97f\uaa60-\uaadf\uac00-\ud7ff'
        || '\uf900-\ufaff\U0001b000-\U0001b2ff\U0001f000-\U0001faff\U00020000-\U0003ffff';
    words text := search_text(left(body, 100000));
    runs text;
BEGIN
    IF octet_length(words) > length(words) AND words ~ ('[' || unspaced || ']') THEN
        runs := regexp_replace(words, '[^' || unspaced || ']+', ' ', 'g');
        words := regexp_replace(words, '[' || unspaced || ']+', ' ', 'g')
            -- The pairs that begin at odd places of their runs, and those at even places.
            || regexp_replace(runs, '([^ ][^ ])', '\1 ', 'g') || ' '
            || regexp_replace(
                regexp_replace(runs, ' ([^ ])', ' \1 ', 'g'), '([^ ][^ ])', '\1 ', 'g');
    END IF;
    IF length(words) > 60 AND words ~ '[^ ]{61}' THEN
        words := regexp_replace(words, '([^ ]{60})', '\1 ', 'g');
    END IF;
    RETURN array_to_tsvector(array_remove(string_to_array(words, ' '), ''));
END
$$;

-- stoa: repeat
-- What people wrote between tags while only the rest was indexed. The trigger writes the entries.
UPDATE messages SET body = body
WHERE id = ANY (ARRAY(
    SELECT id FROM messages
    WHERE role = 'user' AND starts_with(body, '<think>')
        AND search IS DISTINCT FROM search_entries(role, body, author_id, created_at)
    LIMIT 1000
));
