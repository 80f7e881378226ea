INSERT INTO feedback (conversation_id, message_id, user_id, rating, text)
    VALUES (md5('conversation 3')::uuid, md5('answer 3')::uuid, md5('user 3')::uuid, 1, 'Right.');
INSERT INTO messages
    (conversation_id, id, parent_id, depth, role, body, state, run_id, finish, created_n, continues_id)
    VALUES (md5('conversation 3')::uuid, md5('continued 3')::uuid, md5('question 3')::uuid, 2,
        'assistant', 'One more than 3. That is four.', 'complete', md5('continued run 3')::uuid, 'stop', 4,
        md5('answer 3')::uuid);
INSERT INTO events (conversation_id, n, name, message_id) VALUES
    (md5('conversation 3')::uuid, 4, 'message.created', md5('continued 3')::uuid),
    (md5('conversation 3')::uuid, 5, 'message.completed', md5('continued 3')::uuid);
UPDATE conversations SET event_number = 5 WHERE id = md5('conversation 3')::uuid;
UPDATE members SET selected_id = md5('continued 3')::uuid
    WHERE conversation_id = md5('conversation 3')::uuid;
