INSERT INTO sessions (id, user_id, token_hash, device, expires_at) VALUES
    (md5('session 1')::uuid, md5('user 1')::uuid, sha256('session 1'), 'Firefox', now() + interval '9 days');
INSERT INTO sign_up_links VALUES (sha256('link 1'), now() + interval '1 day');
INSERT INTO messages (conversation_id, id, parent_id, depth, role, state, run_id)
    VALUES (md5('conversation 1')::uuid, md5('queued 1')::uuid, md5('question 1')::uuid, 2,
        'assistant', 'queued', md5('queued run 1')::uuid);
INSERT INTO events (conversation_id, n, name, message_id)
    VALUES (md5('conversation 1')::uuid, 4, 'message.created', md5('queued 1')::uuid);
UPDATE conversations SET event_number = 4 WHERE id = md5('conversation 1')::uuid;
INSERT INTO generations (message_id, conversation_id, user_id)
    VALUES (md5('queued 1')::uuid, md5('conversation 1')::uuid, md5('user 1')::uuid);
INSERT INTO idempotency_keys (user_id, key, request_hash, reply)
    VALUES (md5('user 1')::uuid, 'key 1', sha256('request'), '{"ok":{}}');
