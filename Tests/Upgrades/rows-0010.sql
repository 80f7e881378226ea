INSERT INTO api_keys (id, user_id, name, token_hash, scopes)
    VALUES (md5('key 10')::uuid, md5('user 10')::uuid, 'script', sha256('key 10'), '{read,write}');
INSERT INTO account_links (token_hash, kind, user_id, expires_at)
    VALUES (sha256('reset 10'), 'reset', md5('user 10')::uuid, now() + interval '1 day');
