-- Who is named in a question, so that lists can mark it.

CREATE TABLE mentions (
    conversation_id uuid NOT NULL,
    message_id uuid NOT NULL,
    -- A member at that time; never the message's author.
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    -- The number of the event that told of the message: it is unread for who has not read so far.
    n bigint NOT NULL CHECK (n > 0),
    PRIMARY KEY (conversation_id, message_id, user_id),
    FOREIGN KEY (conversation_id, message_id) REFERENCES messages (conversation_id, id)
        ON DELETE CASCADE
);

-- How many are unread is one probe for each row of a list.
CREATE INDEX mentions_unread ON mentions (user_id, conversation_id, n);

-- Libraries of prompts, a team's or a person's own. Texts are never changed: a change makes the next
-- version.

CREATE TABLE prompts (
    id uuid PRIMARY KEY,
    -- Whose library it is in; neither ever changes.
    team_id uuid REFERENCES teams ON DELETE CASCADE,
    owner_id uuid REFERENCES users ON DELETE CASCADE,
    -- The newest version.
    version integer NOT NULL DEFAULT 1 CHECK (version > 0),
    -- Since when no library shows it; its versions stay.
    deleted_at timestamptz,
    CHECK (num_nonnulls(team_id, owner_id) = 1)
);

CREATE INDEX prompts_team ON prompts (team_id) WHERE team_id IS NOT NULL;
CREATE INDEX prompts_owner ON prompts (owner_id) WHERE owner_id IS NOT NULL;

CREATE TABLE prompt_versions (
    prompt_id uuid NOT NULL REFERENCES prompts ON DELETE CASCADE,
    version integer NOT NULL CHECK (version > 0),
    name text NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 256),
    body text NOT NULL CHECK (body <> ''),
    author_id uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (prompt_id, version)
);

CREATE INDEX prompt_versions_author ON prompt_versions (author_id) WHERE author_id IS NOT NULL;

ALTER TABLE system_prompts
    -- Which version of a library's prompt it is a copy of, and what that was called. No foreign key: it
    -- outlives the library.
    ADD COLUMN library jsonb;
