-- Models that administrators had the server fetch: it offers them at each start.

CREATE TABLE models (
    -- "org/name", as the hub and clients call it.
    name text PRIMARY KEY CHECK (octet_length(name) BETWEEN 3 AND 200),
    revision text NOT NULL CHECK (octet_length(revision) BETWEEN 1 AND 200),
    -- Null while it is on its way: a server that died meanwhile goes on with it.
    fetched_at timestamptz,
    requested_by uuid REFERENCES users ON DELETE SET NULL,
    requested_at timestamptz NOT NULL DEFAULT now()
);

-- One at a time.
CREATE UNIQUE INDEX models_on_their_way ON models ((true)) WHERE fetched_at IS NULL;
