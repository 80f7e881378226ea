-- Sign-ins with an OpenID provider: those that have begun, on whatever node, and who is whom.

CREATE TABLE openid_requests (
    -- SHA-256 of the state that comes back with the browser.
    state_hash bytea PRIMARY KEY CHECK (octet_length(state_hash) = 32),
    nonce text NOT NULL,
    -- PKCE's (RFC 7636): good for one code of one provider, for minutes.
    verifier text NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE INDEX openid_requests_expiry ON openid_requests (expires_at);

CREATE TABLE openid_identities (
    issuer text NOT NULL CHECK (octet_length(issuer) <= 500),
    -- The provider's name for somebody, which never changes.
    subject text NOT NULL CHECK (octet_length(subject) BETWEEN 1 AND 255),
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (issuer, subject)
);

CREATE INDEX openid_identities_user ON openid_identities (user_id);
