-- The trace that a question is a part of (W3C Trace Context), so that the node that runs its answer
-- continues it; null if it is part of none.
-- stoa: works with 33

ALTER TABLE generations
    ADD COLUMN trace_parent text,
    ADD COLUMN trace_state text;
