-- Titles that the model makes.

ALTER TABLE conversations
    -- Whether the title is the beginning of the first message, which the model may replace once.
    ADD COLUMN awaits_title boolean NOT NULL DEFAULT false;

ALTER TABLE ledger
    DROP CONSTRAINT ledger_kind_check,
    -- "title", as "summary", is the server's own work; its `answer_id` is an id of its own.
    ADD CHECK (kind IN ('reserve', 'settle', 'release', 'summary', 'title'));
