-- A trigger records the change.
UPDATE users SET is_admin = true WHERE id = md5('user 22')::uuid;
