-- Links into teams, conversations that are open to theirs, and the team in the queue.

CREATE TABLE team_invites (
    id uuid PRIMARY KEY,
    team_id uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    -- SHA-256 of the token: whoever reads this table can join nothing.
    token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    role text NOT NULL CHECK (role IN ('admin', 'member', 'viewer')),
    -- It is good only as long as who made it may invite.
    created_by uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    uses_left integer NOT NULL CHECK (uses_left >= 0)
);

CREATE INDEX team_invites_team ON team_invites (team_id);

ALTER TABLE conversations
    -- Whether everybody in the team may join it.
    ADD COLUMN is_open boolean NOT NULL DEFAULT false CHECK (NOT is_open OR team_id IS NOT NULL);

CREATE INDEX conversations_open ON conversations (team_id, id) WHERE is_open;

ALTER TABLE generations
    -- The conversation's team: the queue is shared between teams first.
    ADD COLUMN team_id uuid;

CREATE INDEX generations_team ON generations (team_id) WHERE team_id IS NOT NULL;
