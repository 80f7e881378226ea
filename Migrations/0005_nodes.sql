-- The servers that run on this database, and what each wants to be woken for. Unlogged: a crash of
-- PostgreSQL empties both tables, and each node's next sign of life fills its part in again.

CREATE UNLOGGED TABLE nodes (
    -- One life of one `stoa serve`; also the owner of the leases that it holds.
    id uuid PRIMARY KEY,
    name text NOT NULL CHECK (octet_length(name) <= 200),
    started_at timestamptz NOT NULL DEFAULT now(),
    -- The last sign of life. A node that gives none for a while counts as dead.
    seen_at timestamptz NOT NULL DEFAULT now()
);

CREATE UNLOGGED TABLE node_watches (
    -- A conversation that somebody watches on the node, or a user who is connected to it. No foreign
    -- key, neither here nor to the node: a check would wait for, or lock, the conversation's row.
    topic uuid NOT NULL,
    node_id uuid NOT NULL,
    PRIMARY KEY (topic, node_id)
);

CREATE INDEX node_watches_node ON node_watches (node_id);

-- What runs are doing before they have text, for watchers on other nodes: of each run its last word, as
-- the event that its own watchers were told. Old rows go when others are written.
CREATE UNLOGGED TABLE run_news (
    message_id uuid PRIMARY KEY,
    conversation_id uuid NOT NULL,
    run_id uuid NOT NULL,
    number bigint NOT NULL,
    event text NOT NULL,
    told_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX run_news_conversation ON run_news (conversation_id);
