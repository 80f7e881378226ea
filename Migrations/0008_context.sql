-- What a model is given besides the messages: system prompts by version, what becomes of a history that
-- is longer than the context, and summaries of the beginnings of branches.

-- Texts are never changed: a change makes the next version, and a receipt names the one that counted.
CREATE TABLE system_prompts (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    -- Null for the server's, which counts where a conversation has none of its own.
    conversation_id uuid REFERENCES conversations ON DELETE CASCADE,
    version integer NOT NULL CHECK (version > 0),
    body text NOT NULL,
    author_id uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (conversation_id, version)
);

ALTER TABLE conversations
    -- The conversation's own; null for the server's newest.
    ADD COLUMN system_prompt_id uuid REFERENCES system_prompts,
    ADD COLUMN context_policy text NOT NULL DEFAULT 'drop_oldest'
        CHECK (context_policy IN ('drop_oldest', 'refuse', 'summarize'));

-- Each conversation had a text of its own, its owner's or a copy of the server's: nobody knows which.
INSERT INTO system_prompts (conversation_id, version, body, author_id, created_at)
SELECT c.id, 1, c.system_prompt, m.user_id, c.created_at
FROM conversations c
LEFT JOIN LATERAL (
    SELECT user_id FROM members
    WHERE conversation_id = c.id AND role = 'owner'
    ORDER BY joined_at LIMIT 1
) m ON true;

UPDATE conversations c SET system_prompt_id = p.id
FROM system_prompts p WHERE p.conversation_id = c.id;

ALTER TABLE conversations DROP COLUMN system_prompt;

CREATE INDEX conversations_system_prompt ON conversations (system_prompt_id)
    WHERE system_prompt_id IS NOT NULL;

-- How many messages of the branch a summary stood for, as the receipt says.
ALTER TABLE messages ADD COLUMN summarized_messages integer CHECK (summarized_messages > 0);

-- What stands for a branch from its first message through one: it lies on every branch that this
-- message lies on.
CREATE TABLE summaries (
    id uuid PRIMARY KEY,
    conversation_id uuid NOT NULL,
    through_id uuid NOT NULL,
    -- How many messages it stands for: the depth of the last one.
    message_count integer NOT NULL CHECK (message_count > 0),
    body text NOT NULL CHECK (octet_length(body) BETWEEN 1 AND 65536),
    -- How it was made: what the model was given, and the engine's record of the run.
    receipt jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (conversation_id, through_id),
    FOREIGN KEY (conversation_id, through_id) REFERENCES messages (conversation_id, id)
        ON DELETE CASCADE
);
