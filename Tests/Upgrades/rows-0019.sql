INSERT INTO users (id, name, password_hash, disabled_at, deleted_at)
    VALUES (md5('deleted 19')::uuid, 'deleted user', 'none', now(), now());
