-- What administrators chose about models, for all nodes and every start.

CREATE TABLE model_choices (
    -- The model's name for clients.
    name text PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 200),
    -- Whether it stays unloaded.
    is_unloaded boolean NOT NULL DEFAULT false,
    -- Whether it answers in conversations that choose no model.
    is_default boolean NOT NULL DEFAULT false,
    -- The default model is always loaded.
    CONSTRAINT model_choices_default_is_loaded CHECK (NOT (is_unloaded AND is_default))
);

-- One default at most; without one, the server's settings decide.
CREATE UNIQUE INDEX model_choices_default ON model_choices ((true)) WHERE is_default;
