-- Accounts that are deleted, and deletions of messages that can be undone.

-- A deleted account's row stays, so that what refers to it stands; nothing in it says whose it was. All of
-- them have one name, by which nobody is found: the name that they had is free.
DROP INDEX users_name;
CREATE UNIQUE INDEX users_name ON users (lower(name)) WHERE deleted_at IS NULL;

ALTER TABLE users
    -- Since when nothing is left to do about a deleted account: its conversations are left, and what it
    -- did elsewhere names nobody.
    ADD COLUMN erased_at timestamptz,
    ADD CHECK (
        deleted_at IS NULL
        OR name = 'deleted user' AND password_hash = 'none' AND NOT is_admin
            AND disabled_at IS NOT NULL
    ),
    ADD CHECK (erased_at IS NULL OR deleted_at IS NOT NULL);

-- Few rows: all that are deleted, the last ones first looked at again.
CREATE INDEX users_deleted ON users (deleted_at) WHERE deleted_at IS NOT NULL;

-- What is looked for by its user when an account is deleted.
CREATE INDEX feedback_user ON feedback (user_id);
CREATE INDEX share_links_maker ON share_links (created_by);
CREATE INDEX audit_log_object ON audit_log (object);

-- The log stays as it is, but for the names of those who are deleted.
CREATE FUNCTION refuse_change_but_erasure() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    actor_is_deleted boolean := EXISTS (
        SELECT FROM users WHERE id = OLD.actor_id AND deleted_at IS NOT NULL);
    object_is_deleted boolean := EXISTS (
        SELECT FROM users WHERE id::text = OLD.object AND deleted_at IS NOT NULL);
BEGIN
    IF (NEW.id, NEW.at, NEW.actor_id, NEW.action, NEW.team_id, NEW.object)
            IS NOT DISTINCT FROM
            (OLD.id, OLD.at, OLD.actor_id, OLD.action, OLD.team_id, OLD.object)
        AND (NEW.actor_name = OLD.actor_name
            OR actor_is_deleted AND NEW.actor_name = 'deleted user')
        AND (NEW.detail IS NOT DISTINCT FROM OLD.detail
            OR object_is_deleted AND NEW.detail = OLD.detail - 'name')
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME;
END
$$;

DROP TRIGGER audit_log_is_insert_only ON audit_log;
CREATE TRIGGER audit_log_is_insert_only
    BEFORE DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_is_never_changed
    BEFORE UPDATE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION refuse_change_but_erasure();

ALTER TABLE messages
    -- The number of the event that told of the message's deletion: those that went together have the
    -- same one. Null where nothing can be brought back.
    ADD COLUMN deleted_n bigint,
    -- Who deleted it.
    ADD COLUMN deleted_by uuid REFERENCES users ON DELETE SET NULL;

CREATE INDEX messages_deletions ON messages (conversation_id, deleted_n)
    WHERE deleted_n IS NOT NULL;
