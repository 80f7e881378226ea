-- What takes access away. A node learns of it by asking what has come since it asked last, and need not ask
-- again and again for each connection whether it may still be there.

CREATE TABLE access_changes (
    -- The transaction that wrote the row. Transactions end in another order than they begin, so no number
    -- of their own says what a reader has missed. Who has read in a snapshot reads on from the oldest
    -- transaction that had not ended then (its xmin), and so meets each row, however late it was committed.
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    -- Whose account, sign-ins or keys are not what they were,
    user_id uuid,
    -- or which conversation somebody is out of, by the event of which number. No foreign keys: a row is
    -- there for hours and bears no name.
    conversation_id uuid,
    n bigint,
    at timestamptz NOT NULL DEFAULT now(),
    CHECK (num_nonnulls(user_id, conversation_id) = 1),
    CHECK ((conversation_id IS NULL) = (n IS NULL))
);

CREATE INDEX access_changes_xid ON access_changes (xid);

-- As sign-ins have: what ends by itself is found by its time.
CREATE INDEX api_keys_expiry ON api_keys (expires_at);

CREATE FUNCTION note_ended_sign_ins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- One that is deleted long after its end was found by its time.
    INSERT INTO access_changes (user_id)
    SELECT DISTINCT user_id FROM ended
    WHERE coalesce(expires_at > now() - interval '1 minute', true);
    RETURN NULL;
END
$$;

CREATE TRIGGER sessions_ended AFTER DELETE ON sessions
    REFERENCING OLD TABLE AS ended
    FOR EACH STATEMENT EXECUTE FUNCTION note_ended_sign_ins();
CREATE TRIGGER api_keys_ended AFTER DELETE ON api_keys
    REFERENCING OLD TABLE AS ended
    FOR EACH STATEMENT EXECUTE FUNCTION note_ended_sign_ins();

CREATE FUNCTION note_shortened_sign_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO access_changes (user_id) VALUES (NEW.user_id);
    RETURN NULL;
END
$$;

CREATE TRIGGER sessions_shortened AFTER UPDATE OF expires_at ON sessions
    FOR EACH ROW WHEN (NEW.expires_at < OLD.expires_at)
    EXECUTE FUNCTION note_shortened_sign_in();
CREATE TRIGGER api_keys_shortened AFTER UPDATE OF expires_at ON api_keys
    FOR EACH ROW WHEN (NEW.expires_at < coalesce(OLD.expires_at, 'infinity'))
    EXECUTE FUNCTION note_shortened_sign_in();

CREATE FUNCTION note_changed_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO access_changes (user_id) VALUES (NEW.id);
    RETURN NULL;
END
$$;

CREATE TRIGGER users_changed AFTER UPDATE OF is_admin, disabled_at ON users
    FOR EACH ROW WHEN (
        NEW.is_admin <> OLD.is_admin OR NEW.disabled_at IS DISTINCT FROM OLD.disabled_at
    )
    EXECUTE FUNCTION note_changed_account();

CREATE FUNCTION note_departure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO access_changes (conversation_id, n) VALUES (NEW.conversation_id, NEW.n);
    RETURN NULL;
END
$$;

CREATE TRIGGER events_of_departures AFTER INSERT ON events
    FOR EACH ROW WHEN (
        NEW.name = 'conversation.deleted'
        OR NEW.name = 'member.changed' AND NEW.payload ->> 'role' IS NULL
    )
    EXECUTE FUNCTION note_departure();
