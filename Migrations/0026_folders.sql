-- Folders and tags: how a user sorts the conversations of their own list. Both are personal.

CREATE TABLE folders (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    name text NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 256),
    -- What a member's row refers to: nobody files into another user's folder.
    UNIQUE (id, user_id)
);

CREATE UNIQUE INDEX folders_name ON folders (user_id, lower(name));

ALTER TABLE list_positions
    -- The number of the last change of the user's folders; they change as a whole.
    ADD COLUMN folders_u bigint NOT NULL DEFAULT 0 CHECK (folders_u BETWEEN 0 AND u);

ALTER TABLE members
    ADD COLUMN folder_id uuid,
    ADD COLUMN tags text[] NOT NULL DEFAULT '{}',
    ADD FOREIGN KEY (folder_id, user_id) REFERENCES folders (id, user_id)
        ON DELETE SET NULL (folder_id);

CREATE INDEX members_filed ON members (folder_id, activity_at DESC, conversation_id DESC)
    WHERE folder_id IS NOT NULL;
CREATE INDEX members_tagged ON members (user_id) WHERE tags <> '{}';
