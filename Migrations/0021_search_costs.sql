-- What a search has to compare with the text itself is compared faster, and is known to be dear.

-- The part of search_fold for texts beyond ASCII, as it was. Its cost is told a hundred times what it is:
-- PostgreSQL takes a piece of a word to stand in 1 of 10,000 messages, where the index names a hundred
-- times as many. Told the truth it would fold them all before it asks whose they are.
CREATE FUNCTION search_fold_beyond_ascii(body text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 100000 AS $$
DECLARE
    folded text := lower(body);
BEGIN
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

-- The same result as before, for all texts. Not STRICT, and one expression: PostgreSQL puts it in the place
-- of the call, in a query and in the index alike.
CREATE OR REPLACE FUNCTION search_fold(body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(body) = length(body) THEN lower(body COLLATE "C")
    ELSE search_fold_beyond_ascii(body) END;

-- Changes nothing, but has sessions that know the index forget how its expression was called.
ALTER INDEX messages_search SET (gin_pending_list_limit = 1024);
