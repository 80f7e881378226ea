-- Answers that a budget shortened: where less was left than they could have had, and enough to be of use.

ALTER TABLE generations
    -- The longest that the answer may be, in tokens; null for what its conversation or the server says.
    ADD answer_tokens integer CHECK (answer_tokens > 0);
