INSERT INTO imports (owner_id, source_system, source_id, conversation_id, is_complete)
    VALUES (md5('user 17')::uuid, 'stoa', 'source 17', md5('conversation 17')::uuid, true);
UPDATE messages SET author_name = 'Ann' WHERE id = md5('question 17')::uuid;
