-- How things end: archived, deleted with a way back, purged; what lives for a while only, and what is held.

ALTER TABLE members
    -- Since when the member has it out of sight; personal.
    ADD COLUMN archived_at timestamptz;

ALTER TABLE conversations
    -- When a temporary conversation ends; null for all others.
    ADD COLUMN expires_at timestamptz,
    -- Since when nothing may purge it, and why.
    ADD COLUMN held_at timestamptz,
    ADD COLUMN hold_reason text CHECK (octet_length(hold_reason) BETWEEN 1 AND 500),
    -- Since when it is being purged, in small batches: it cannot be brought back any more.
    ADD COLUMN purging_at timestamptz,
    ADD CHECK ((held_at IS NULL) = (hold_reason IS NULL));

-- Nothing here changes while a conversation is in use, so that its updates touch no index.
CREATE INDEX conversations_deleted ON conversations (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX conversations_expiry ON conversations (expires_at)
    WHERE expires_at IS NOT NULL AND deleted_at IS NULL;

ALTER TABLE teams
    -- Days without activity after which the team's conversations are deleted; null for never.
    ADD COLUMN retention_days integer CHECK (retention_days BETWEEN 1 AND 36500);

-- Deleted messages that still have their text.
CREATE INDEX messages_deleted ON messages (deleted_at) WHERE deleted_at IS NOT NULL AND body <> '';

-- A message's row goes only after it was looked for here.
CREATE INDEX messages_continued ON messages (conversation_id, continues_id)
    WHERE continues_id IS NOT NULL;

-- A list's log tells of conversations that were purged, too: what left a list has left it for good.
ALTER TABLE unlisted DROP CONSTRAINT unlisted_conversation_id_fkey;

ALTER TABLE users
    -- Since when the account is deleted: what is left of it is an id and no name.
    ADD COLUMN deleted_at timestamptz;
