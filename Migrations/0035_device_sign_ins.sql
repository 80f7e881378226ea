-- Sign-ins of terminals by a link and a code (RFC 8628) that wait for their user, for any node to continue.
-- stoa: works with 33

CREATE TABLE device_sign_ins (
    -- SHA-256 of the device code, with which the terminal asks for the result.
    device_code_hash bytea PRIMARY KEY CHECK (octet_length(device_code_hash) = 32),
    -- SHA-256 of the user code, which the user types on the page.
    user_code_hash bytea NOT NULL UNIQUE CHECK (octet_length(user_code_hash) = 32),
    -- The device's name for itself, and its address; null if unknown.
    device text NOT NULL,
    address text,
    -- The network by which they are counted; null if unknown.
    place text,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    -- Seconds between two polls, and the last one; null before the first.
    poll_interval integer NOT NULL CHECK (poll_interval > 0),
    polled_at timestamptz,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'confirmed', 'refused')),
    -- Who confirmed it.
    user_id uuid REFERENCES users ON DELETE CASCADE,
    CHECK ((state = 'confirmed') = (user_id IS NOT NULL))
);

CREATE INDEX device_sign_ins_place ON device_sign_ins (place);
CREATE INDEX device_sign_ins_user ON device_sign_ins (user_id);
CREATE INDEX device_sign_ins_expiry ON device_sign_ins (expires_at);

-- As before, and the audit log's devices and addresses of deleted users are removed like their names.
CREATE OR REPLACE FUNCTION refuse_change_but_erasure() RETURNS trigger LANGUAGE plpgsql AS $$
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
            OR object_is_deleted AND NEW.detail IN (
                OLD.detail - 'name', OLD.detail - '{name,device,address}'::text[]))
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME;
END
$$;
