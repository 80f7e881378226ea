-- What belongs to accounts beside their passwords: an end of each sign-in however much it is used, keys
-- for programs, and one-time links that set a password or make an account.

ALTER TABLE sessions
    -- `expires_at` is put off while the sign-in is used, and never beyond this.
    ADD COLUMN ends_at timestamptz;

UPDATE sessions SET ends_at = greatest(expires_at, created_at + interval '90 days');

ALTER TABLE sessions
    ALTER COLUMN ends_at SET NOT NULL,
    ALTER COLUMN ends_at SET DEFAULT now() + interval '90 days';

CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    -- SHA-256 of the key: whoever reads this table can ask for nothing.
    token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    scopes text[] NOT NULL CHECK (
        cardinality(scopes) > 0
        AND scopes <@ ARRAY['read', 'write', 'account', 'administer']
    ),
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    -- Null for a key that is good until it is revoked.
    expires_at timestamptz
);

CREATE INDEX api_keys_user ON api_keys (user_id);

CREATE TABLE account_links (
    token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    kind text NOT NULL CHECK (kind IN ('reset', 'invitation')),
    -- Whose password it sets; null for an invitation, which makes an account.
    user_id uuid REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    CHECK ((kind = 'reset') = (user_id IS NOT NULL))
);

CREATE INDEX account_links_user ON account_links (user_id);
CREATE INDEX account_links_expiry ON account_links (expires_at);
