-- The text of answers that grow, kept a few times a second, so that an answer whose server dies goes on
-- from there; and what a run must know of the tries before it.

ALTER TABLE generations
    -- The run that an engine began last; its parts are the answer's. Null while none has begun.
    ADD COLUMN run_id uuid,
    -- Where that run goes on from an earlier one's text: the byte at which. Readers may have more of the
    -- earlier run, which is void.
    ADD COLUMN base integer CHECK (base >= 0),
    -- `attempts` counts the tries since an engine last got on with the answer; this one counts all.
    ADD COLUMN tries integer NOT NULL DEFAULT 0,
    -- Which model drew the tokens of the parts.
    ADD COLUMN engine text,
    -- A wish to end the answer, for whoever makes it; and how far its reader had got, in bytes.
    ADD COLUMN stop_requested_at timestamptz,
    ADD COLUMN stop_seen integer CHECK (stop_seen >= 0);

-- Rows are added while an answer grows, never changed but for the run that they belong to, and leave
-- with the answer's row of the queue.
CREATE TABLE answer_parts (
    message_id uuid NOT NULL REFERENCES generations ON DELETE CASCADE,
    conversation_id uuid NOT NULL,
    run_id uuid NOT NULL,
    -- Where the text begins, in UTF-8 bytes of the answer. Each part begins where the one before ends.
    at integer NOT NULL CHECK (at >= 0),
    text text NOT NULL,
    -- The tokens that were drawn since the part before, as little-endian 32-bit numbers. All tokens up
    -- to here lead on from exactly the text up to here.
    tokens bytea NOT NULL CHECK (octet_length(tokens) % 4 = 0),
    PRIMARY KEY (run_id, at)
) WITH (
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 5000
);

CREATE INDEX answer_parts_message ON answer_parts (message_id);
