-- One conversation with an answer, as the schema from migration 6 on stores it; $K is the migration's number.
INSERT INTO users (id, name, password_hash) VALUES (md5('user $K')::uuid, 'user $K', 'none');
INSERT INTO conversations (id, title, model, event_number, system_prompt)
    VALUES (md5('conversation $K')::uuid, 'Conversation $K', 'stoa-demo', 3, 'be kind');
INSERT INTO members (conversation_id, user_id, role, list_u, read_n)
    VALUES (md5('conversation $K')::uuid, md5('user $K')::uuid, 'owner', 1, 3);
INSERT INTO messages (conversation_id, id, depth, role, author_id, body, state, created_n)
    VALUES (md5('conversation $K')::uuid, md5('question $K')::uuid, 1, 'user',
        md5('user $K')::uuid, 'What is $K + 1? Größe, 大小, 🍵', 'complete', 1);
INSERT INTO messages
    (conversation_id, id, parent_id, depth, role, body, state, run_id, finish, usage, created_n)
    VALUES (md5('conversation $K')::uuid, md5('answer $K')::uuid, md5('question $K')::uuid, 2,
        'assistant', 'One more than $K.', 'complete', md5('run $K')::uuid, 'stop',
        '{"prompt_tokens": 9, "cached_tokens": 0, "completion_tokens": 5,
        "time_to_first_token_ms": 20, "tokens_per_second": 50}', 2);
INSERT INTO events (conversation_id, n, name, message_id) VALUES
    (md5('conversation $K')::uuid, 1, 'message.created', md5('question $K')::uuid),
    (md5('conversation $K')::uuid, 2, 'message.created', md5('answer $K')::uuid),
    (md5('conversation $K')::uuid, 3, 'message.completed', md5('answer $K')::uuid);
UPDATE conversations SET leaf_id = md5('answer $K')::uuid
    WHERE id = md5('conversation $K')::uuid;
INSERT INTO list_positions (user_id, u) VALUES (md5('user $K')::uuid, 1);
