-- Links by which whoever has them reads a conversation, live, without an account.

CREATE TABLE share_links (
    id uuid PRIMARY KEY,
    conversation_id uuid NOT NULL REFERENCES conversations ON DELETE CASCADE,
    -- A message of the branch that is shown; null for the branch of the newest message.
    leaf_id uuid,
    -- SHA-256 of the token: whoever reads this table can read nothing by it.
    token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    -- It is good only as long as who made it may share the conversation.
    created_by uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Null for one without an end.
    expires_at timestamptz,
    FOREIGN KEY (conversation_id, leaf_id) REFERENCES messages (conversation_id, id)
        ON DELETE CASCADE
);

CREATE INDEX share_links_conversation ON share_links (conversation_id);
CREATE INDEX share_links_leaf ON share_links (conversation_id, leaf_id) WHERE leaf_id IS NOT NULL;
