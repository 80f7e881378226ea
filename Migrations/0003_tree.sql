-- The tree of messages in use: several messages in one place, branches that members choose, deletion,
-- answers that go on from others, and what members think of answers.

ALTER TABLE messages
    -- The number of the event that told of the message: siblings stand in this order.
    ADD COLUMN created_n bigint NOT NULL DEFAULT 0,
    -- The answer whose text this one begins with.
    ADD COLUMN continues_id uuid,
    -- A message is deleted with all below it, so the ancestors of one that is not are not.
    ADD COLUMN deleted_at timestamptz,
    ADD FOREIGN KEY (conversation_id, continues_id) REFERENCES messages (conversation_id, id);

UPDATE messages m SET created_n = e.n FROM events e
WHERE e.conversation_id = m.conversation_id AND e.message_id = m.id AND e.name = 'message.created';

-- The replies to a message in order: a branch's newest leaf is one probe a step.
DROP INDEX messages_children;
CREATE INDEX messages_children ON messages (conversation_id, parent_id, created_n, id);

-- The branch that a member chose: the message stands for all above it and the newest below. Null for
-- whoever follows what is newest.
ALTER TABLE members
    ADD COLUMN selected_id uuid,
    ADD FOREIGN KEY (conversation_id, selected_id) REFERENCES messages (conversation_id, id);

CREATE TABLE feedback (
    conversation_id uuid NOT NULL,
    message_id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    rating smallint NOT NULL CHECK (rating IN (-1, 1)),
    text text CHECK (octet_length(text) BETWEEN 1 AND 4000),
    given_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (message_id, user_id),
    FOREIGN KEY (conversation_id, message_id) REFERENCES messages (conversation_id, id)
        ON DELETE CASCADE
);
