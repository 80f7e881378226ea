-- Engines on other machines that administrators added while the server ran, for all nodes and every
-- start. Keys are not here: a definition names the file or the environment variable that has one.

CREATE TABLE remote_engines (
    label text PRIMARY KEY CHECK (octet_length(label) BETWEEN 1 AND 200),
    -- The words of the setting remote-engine; null for an engine of the settings.
    definition text CHECK (octet_length(definition) BETWEEN 1 AND 4000),
    -- Whether it gets no new requests.
    is_draining boolean NOT NULL DEFAULT false,
    added_at timestamptz NOT NULL DEFAULT now(),
    -- Of an engine of the settings, only that it is draining is kept.
    CONSTRAINT remote_engines_has_content CHECK (definition IS NOT NULL OR is_draining)
);
