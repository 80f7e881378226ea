-- What imports need: where a conversation came from, so that importing again makes nothing again; and
-- what messages of other systems have that ours lack.

CREATE TABLE imports (
    -- In whose account; null for an import of everything.
    owner_id uuid REFERENCES users ON DELETE CASCADE,
    -- "stoa" for our own format.
    source_system text NOT NULL CHECK (octet_length(source_system) BETWEEN 1 AND 64),
    source_id text NOT NULL CHECK (octet_length(source_id) BETWEEN 1 AND 200),
    conversation_id uuid NOT NULL REFERENCES conversations ON DELETE CASCADE,
    -- A conversation that is not whole yet counts as deleted: nobody sees it.
    is_complete boolean NOT NULL DEFAULT false,
    imported_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (owner_id, source_system, source_id)
);

CREATE INDEX imports_conversation ON imports (conversation_id);

ALTER TABLE messages
    -- What the author was called where the message was written, if that is no user here.
    ADD COLUMN author_name text CHECK (octet_length(author_name) BETWEEN 1 AND 200),
    -- Which model wrote the answer, where no receipt tells.
    ADD COLUMN model text CHECK (octet_length(model) BETWEEN 1 AND 200);
