-- Lists that stay live: each user's list of conversations has one counter, and each change of what it
-- shows takes the next number. Kept compacted: of each conversation only its last change.
--
-- Numbers are taken after the conversation's row lock, in the order of the users' ids, in the transaction
-- that makes the change true; so whoever has seen u has missed nothing before it.

CREATE TABLE list_positions (
    user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    u bigint NOT NULL CHECK (u > 0)
) WITH (fillfactor = 50);

-- What left a user's list by their leaving the conversation. A deleted conversation keeps its members.
CREATE TABLE unlisted (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    conversation_id uuid NOT NULL REFERENCES conversations ON DELETE CASCADE,
    u bigint NOT NULL,
    PRIMARY KEY (user_id, conversation_id)
);

CREATE INDEX unlisted_changes ON unlisted (user_id, u);

ALTER TABLE members
    -- The last change in the user's list; no default: who adds a member takes a number.
    ADD COLUMN list_u bigint NOT NULL DEFAULT 0,
    -- The last event that the user has read, and how many messages came after it from others.
    ADD COLUMN read_n bigint NOT NULL DEFAULT 0,
    ADD COLUMN unread integer NOT NULL DEFAULT 0 CHECK (unread >= 0);

-- What is there counts as read.
UPDATE members m SET list_u = numbered.u, read_n = c.event_number
FROM (
    SELECT conversation_id, user_id,
        row_number() OVER (PARTITION BY user_id ORDER BY activity_at, conversation_id) AS u
    FROM members
) numbered
JOIN conversations c ON c.id = numbered.conversation_id
WHERE m.conversation_id = numbered.conversation_id AND m.user_id = numbered.user_id;

INSERT INTO list_positions (user_id, u) SELECT user_id, max(list_u) FROM members GROUP BY user_id;

ALTER TABLE members ALTER COLUMN list_u DROP DEFAULT;

CREATE UNIQUE INDEX members_changes ON members (user_id, list_u);
