-- What the fair queue weighs: how urgent an answer is, how long its prompt will be, and which node still
-- knows the conversation.

ALTER TABLE generations
    -- 0 interactive, 1 batch, 2 the server's own work.
    ADD COLUMN priority smallint NOT NULL DEFAULT 0 CHECK (priority BETWEEN 0 AND 2),
    -- A guess, made where the question is stored; nodes correct it by what they measure.
    ADD COLUMN prompt_tokens integer NOT NULL DEFAULT 0 CHECK (prompt_tokens >= 0);

ALTER TABLE conversations
    -- Tokens of the last prompt and its answer together: what the next prompt begins with.
    ADD COLUMN context_tokens integer CHECK (context_tokens >= 0),
    -- The node that made the last answer.
    ADD COLUMN warm_node uuid;
