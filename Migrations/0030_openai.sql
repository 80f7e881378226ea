-- OpenAI's API: its scope of API keys, and the conversations of its requests.

ALTER TABLE api_keys
    DROP CONSTRAINT api_keys_scopes_check,
    ADD CONSTRAINT api_keys_scopes_check CHECK (
        cardinality(scopes) > 0
        AND scopes <@ ARRAY['read', 'write', 'account', 'administer', 'complete']
    );

ALTER TABLE conversations
    -- Whose request it belongs to: such a conversation has no members, so that no list, search or
    -- export shows it. It expires.
    ADD COLUMN api_user_id uuid REFERENCES users ON DELETE CASCADE,
    -- Whether later requests may refer to its answers.
    ADD COLUMN api_stored boolean NOT NULL DEFAULT false,
    ADD CHECK (api_user_id IS NULL OR expires_at IS NOT NULL AND team_id IS NULL);

CREATE INDEX conversations_api ON conversations (expires_at) WHERE api_user_id IS NOT NULL;
CREATE INDEX conversations_api_user ON conversations (api_user_id) WHERE api_user_id IS NOT NULL;
