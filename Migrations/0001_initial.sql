-- The first schema: people and their sign-ins, conversations and their members, messages as a tree,
-- numbered events, the queue of answers to make, and the keys that make requests repeatable.
--
-- Sized for a team of 10,000 with 10 million messages: primary keys are UUIDs of version 7, so new rows
-- lie together; what is looked up often leads an index; the queue is a narrow table of its own.

CREATE TABLE installation (
    -- One row. Clients that know another epoch forget the event numbers that they have seen.
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    epoch uuid NOT NULL DEFAULT gen_random_uuid()
);

INSERT INTO installation DEFAULT VALUES;

CREATE TABLE users (
    id uuid PRIMARY KEY,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
    -- "scrypt$N$r$p$salt$hash"; the parameters travel with the hash.
    password_hash text NOT NULL,
    is_admin boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Names differ in more than case.
CREATE UNIQUE INDEX users_name ON users (lower(name));

CREATE TABLE sessions (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    -- SHA-256 of the token: whoever reads this table can sign in nowhere.
    token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    device text NOT NULL DEFAULT '' CHECK (length(device) <= 200),
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE sign_up_links (
    token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    expires_at timestamptz NOT NULL
);

CREATE TABLE conversations (
    id uuid PRIMARY KEY,
    title text NOT NULL DEFAULT '' CHECK (octet_length(title) <= 500),
    system_prompt text NOT NULL,
    model text NOT NULL,
    temperature double precision CHECK (temperature BETWEEN 0 AND 2),
    top_p double precision CHECK (top_p > 0 AND top_p <= 1),
    max_tokens integer CHECK (max_tokens > 0),
    -- The number of the last durable event. Taken under this row's lock, in the transaction that makes
    -- the event true, so a reader of "after n" cannot miss a late commit.
    event_number bigint NOT NULL DEFAULT 0,
    -- The newest message: what the next one follows. The key to messages is added below.
    leaf_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz
);

CREATE TABLE members (
    conversation_id uuid NOT NULL REFERENCES conversations ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    role text NOT NULL CHECK (role IN ('owner', 'editor', 'viewer')),
    joined_at timestamptz NOT NULL DEFAULT now(),
    -- The conversation's last activity, kept here so that a list is one walk along an index.
    activity_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (conversation_id, user_id)
);

CREATE INDEX members_list ON members (user_id, activity_at DESC, conversation_id DESC);

CREATE TABLE messages (
    conversation_id uuid NOT NULL REFERENCES conversations ON DELETE CASCADE,
    id uuid NOT NULL,
    parent_id uuid,
    -- 1 for a first message, else one more than the parent's.
    depth integer NOT NULL CHECK (depth > 0),
    role text NOT NULL CHECK (role IN ('user', 'assistant')),
    author_id uuid REFERENCES users ON DELETE SET NULL,
    body text NOT NULL DEFAULT '',
    state text NOT NULL CHECK (state IN ('queued', 'streaming', 'complete', 'stopped', 'failed')),
    run_id uuid,
    finish text CHECK (finish IN ('stop', 'length', 'stopped', 'error')),
    usage jsonb,
    error jsonb,
    dropped_messages integer CHECK (dropped_messages >= 0),
    -- What the model was given: message ids with their token counts, the prompt's SHA-256.
    receipt jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    search tsvector GENERATED ALWAYS AS (to_tsvector('simple', left(body, 200000))) STORED,
    PRIMARY KEY (conversation_id, id),
    UNIQUE (id),
    FOREIGN KEY (conversation_id, parent_id) REFERENCES messages (conversation_id, id),
    -- What a person writes is whole at once; an answer has a run.
    CHECK (role <> 'user' OR (state = 'complete' AND run_id IS NULL)),
    CHECK (role <> 'assistant' OR (run_id IS NOT NULL AND author_id IS NULL)),
    CHECK ((parent_id IS NULL) = (depth = 1))
);

CREATE INDEX messages_children ON messages (conversation_id, parent_id);
CREATE INDEX messages_search ON messages USING gin (search);

ALTER TABLE conversations
    ADD FOREIGN KEY (id, leaf_id) REFERENCES messages (conversation_id, id)
    DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE events (
    conversation_id uuid NOT NULL REFERENCES conversations ON DELETE CASCADE,
    n bigint NOT NULL CHECK (n > 0),
    name text NOT NULL,
    -- For events of messages: which one. The rest is told from its row.
    message_id uuid,
    -- For the others: their fields.
    payload jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (conversation_id, n)
);

-- Answers to make. A row lives from the question's commit to the answer's; nothing else keeps it.
CREATE TABLE generations (
    message_id uuid PRIMARY KEY,
    conversation_id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    position bigint GENERATED ALWAYS AS IDENTITY,
    attempts integer NOT NULL DEFAULT 0,
    lease_owner uuid,
    lease_until timestamptz,
    queued_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (conversation_id, message_id) REFERENCES messages (conversation_id, id)
        ON DELETE CASCADE
) WITH (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 1000
);

CREATE INDEX generations_conversation ON generations (conversation_id, position);
CREATE INDEX generations_user ON generations (user_id, position);

-- What a key was used for, and the reply that it got.
CREATE TABLE idempotency_keys (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    key text NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 64),
    request_hash bytea NOT NULL,
    reply text,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, key)
);

CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
