-- A conversation's sampling seed, and the texts that end its answers.

ALTER TABLE conversations
    -- 53 bits, which every reader of JSON keeps exactly.
    ADD seed bigint CHECK (seed BETWEEN 0 AND 9007199254740991),
    ADD stop_strings text[] CHECK (cardinality(stop_strings) BETWEEN 1 AND 16);
