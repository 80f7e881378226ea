-- Who holds a conversation, and a quick way to all that are held.

ALTER TABLE conversations
    -- The administrator; null if that is not known, or the account is gone.
    ADD COLUMN held_by uuid REFERENCES users ON DELETE SET NULL;

-- Of earlier holds the audit log says who.
UPDATE conversations c SET held_by = u.id
FROM users u
WHERE c.held_at IS NOT NULL AND u.id = (
    SELECT a.actor_id FROM audit_log a
    WHERE a.object = c.id::text AND a.action = 'conversation.held'
    ORDER BY a.id DESC LIMIT 1
);

CREATE INDEX conversations_held ON conversations (id) WHERE held_at IS NOT NULL;
