INSERT INTO unlisted (user_id, conversation_id, u)
    VALUES (md5('user 6')::uuid, md5('conversation 1')::uuid, 2);
UPDATE list_positions SET u = 2 WHERE user_id = md5('user 6')::uuid;
