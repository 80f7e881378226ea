-- Pinned conversations, which come first in their member's list.

ALTER TABLE members
    -- Since when the member has it pinned; personal. What is archived is in no list.
    ADD COLUMN pinned_at timestamptz,
    ADD CHECK (pinned_at IS NULL OR archived_at IS NULL);

CREATE INDEX members_pinned ON members (user_id) WHERE pinned_at IS NOT NULL;
