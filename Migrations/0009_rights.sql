-- Teams, and what decides rights beside a conversation's members: whether an account is disabled, and
-- what its user is in the conversation's team. And the log of who did what.

CREATE TABLE teams (
    id uuid PRIMARY KEY,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX teams_name ON teams (lower(name));

CREATE TABLE team_members (
    team_id uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
    joined_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, user_id)
);

CREATE INDEX team_members_user ON team_members (user_id);

ALTER TABLE users
    -- Since when the account may do nothing; its sign-ins and keys end with this.
    ADD COLUMN disabled_at timestamptz;

ALTER TABLE conversations
    -- Null for what belongs to its members alone. Members are in the team, as long as they are in it.
    ADD COLUMN team_id uuid REFERENCES teams;

CREATE INDEX conversations_team ON conversations (team_id) WHERE team_id IS NOT NULL;

-- Who did what. Rows stay as they are for ever: names and ids are copied, since their owners may go.
CREATE TABLE audit_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    -- Null where the server itself, or somebody at its terminal, did it.
    actor_id uuid,
    actor_name text NOT NULL,
    -- A word of the protocol's kind: "user.disabled".
    action text NOT NULL CHECK (octet_length(action) BETWEEN 1 AND 64),
    team_id uuid,
    -- What it was done to, by id or name.
    object text NOT NULL DEFAULT '' CHECK (octet_length(object) <= 500),
    -- No text of messages, no secret.
    detail jsonb
);

CREATE INDEX audit_log_time ON audit_log (at);
CREATE INDEX audit_log_team ON audit_log (team_id, id) WHERE team_id IS NOT NULL;
CREATE INDEX audit_log_actor ON audit_log (actor_id, id);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME;
END
$$;

CREATE TRIGGER audit_log_is_insert_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
