-- Thinking parts of reasoning models' answers (docs/decisions/0050-thinking-parts.md): the limit of a
-- conversation's, and search without them.
-- stoa: works with 34

ALTER TABLE conversations
    ADD max_thinking_tokens integer,
    -- There is no row that it could not be valid for.
    ADD CONSTRAINT conversations_max_thinking_tokens_check
        CHECK (max_thinking_tokens BETWEEN 0 AND 1000000) NOT VALID;

-- A text without its thinking part, as Sources/ThinkingText has it.
CREATE FUNCTION search_answer(body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN NOT starts_with(body, '<think>') THEN body
    WHEN strpos(body, '</think>') = 0 THEN ''
    ELSE ltrim(substr(body, strpos(body, '</think>') + 8), E' \n\r\t') END;

-- As before, but for the answer alone. Texts that are stored already keep the words that they have: of
-- a text without a thinking part they are the same.
CREATE OR REPLACE FUNCTION search_words(body text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 400 SET search_path FROM CURRENT AS $$
DECLARE
    -- The same characters as UnspacedScript in Sources/ChatCore/Search.
    unspaced CONSTANT text := '\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf'
        || '\u2190-\u2bff\u2e80-\u2fdf\u3005-\ua4cf\ua960-\ua97f\uaa60-\uaadf\uac00-\ud7ff'
        || '\uf900-\ufaff\U0001b000-\U0001b2ff\U0001f000-\U0001faff\U00020000-\U0003ffff';
    words text := search_text(left(search_answer(body), 100000));
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
