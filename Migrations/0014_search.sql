-- Search in any script (docs/decisions/0013-search.md): what a message holds as words and as pieces of
-- words, in one index. The functions are the one definition of what counts as equal, for texts and for
-- what is looked for; Sources/ChatCore/Search is the other half.

-- Comes with PostgreSQL (Debian: in the server's package; elsewhere "contrib"). Trusted: whoever may
-- create things in the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- A text without differences of case, accents, width, joiners, vowel marks (Arabic, Hebrew), and
-- variants of an emoji.
CREATE FUNCTION search_fold(body text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 50 AS $$
DECLARE
    folded text;
BEGIN
    IF octet_length(body) = length(body) THEN RETURN lower(body COLLATE "C"); END IF;
    folded := lower(body);
    -- What is frequent and needs nothing else: Cyrillic, Thai, kana, Han, Hangul, quotation marks, emoji.
    IF folded ~ ('^[\u0001-\u007f\u0430-\u0438\u043a-\u044f\u0e01-\u0e32\u0e34-\u0e5b\u2013-\u201d'
            || '\u3001-\u3002\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3'
            || '\U0001f300-\U0001f3fa\U0001f400-\U0001faff]*$')
    THEN
        RETURN folded;
    END IF;
    folded := regexp_replace(
        normalize(folded, NFKD),
        '[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640'
            || '\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u200b-\u200f'
            || '\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff'
            || '\U0001f3fb-\U0001f3ff\U000e0000-\U000e01ef]+',
        '', 'g');
    -- A stroke through a letter is no accent to Unicode; width may have hidden a capital.
    folded := translate(lower(folded), 'ςøłđı', 'σoldi');
    -- Puts together again what is written as one: syllables of Hangul, kana.
    IF folded ~ '[\u0900-\U0010ffff]' THEN folded := normalize(folded, NFC); END IF;
    RETURN folded;
END
$$;

-- The words of a text: folded, with one space before, between and after them.
CREATE FUNCTION search_text(body text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 200 SET search_path FROM CURRENT AS $$
BEGIN
    IF octet_length(body) = length(body) THEN
        RETURN ' ' || ltrim(regexp_replace(lower(body COLLATE "C"), '[^a-z0-9]+', ' ', 'g') || ' ');
    END IF;
    RETURN ' ' || ltrim(regexp_replace(
        search_fold(body),
        '[\u0001-\u002f\u003a-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7'
            || '\u037e\u0387\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u060c'
            || '\u061b\u061e\u061f\u066a-\u066d\u06d4\u0964\u0965\u0e4f\u0e5a\u0e5b\u1360-\u1368'
            || '\u17d4-\u17da\u2000-\u206f\u20a0-\u20cf\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020'
            || '\u3030\u303d\u30fb\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40'
            || '\uff5b-\uff65]+',
        ' ', 'g') || ' ');
END
$$;

-- The words of a text for the index. Scripts that are written without spaces between words, and
-- Hangul, whose words take endings, give each pair of neighbours and the last character of each run;
-- so do emoji and other pictures. A longer word gives pieces of 60 characters.
CREATE FUNCTION search_words(body text) RETURNS tsvector
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

-- Beside its words each message has its author and its month there: what is asked for with words.
ALTER TABLE messages DROP COLUMN search;
ALTER TABLE messages ADD COLUMN search tsvector NOT NULL GENERATED ALWAYS AS (
    CASE WHEN body = '' THEN ''::tsvector ELSE
        search_words(body) || array_to_tsvector(array_remove(ARRAY[
            'author:' || author_id::text,
            'month:' || (
                extract(year FROM created_at AT TIME ZONE 'UTC') * 12
                    + extract(month FROM created_at AT TIME ZONE 'UTC') - 1)::integer::text
        ], NULL))
    END
) STORED;

CREATE INDEX messages_search ON messages
    USING gin (search, search_fold(left(body, 100000)) gin_trgm_ops)
    -- What waits to be put in its place is read by each search.
    WITH (gin_pending_list_limit = 1024);
