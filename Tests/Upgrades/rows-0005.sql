INSERT INTO nodes (id, name, seen_at) VALUES (md5('node 5')::uuid, 'left', now() - interval '1 day');
INSERT INTO node_watches VALUES (md5('conversation 5')::uuid, md5('node 5')::uuid);
INSERT INTO run_news (message_id, conversation_id, run_id, number, event)
    VALUES (md5('answer 5')::uuid, md5('conversation 5')::uuid, md5('run 5')::uuid, 1, '{}');
