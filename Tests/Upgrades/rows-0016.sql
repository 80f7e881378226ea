INSERT INTO budgets (user_id, daily, monthly) VALUES (md5('user 16')::uuid, 100000, NULL);
UPDATE conversations SET team_id = md5('team 9')::uuid WHERE id = md5('conversation 16')::uuid;
-- The answer passes through the queue, so that the triggers reserve and settle its tokens.
INSERT INTO generations (message_id, conversation_id, user_id, prompt_tokens, reserved, run_id)
    VALUES (md5('answer 16')::uuid, md5('conversation 16')::uuid, md5('user 16')::uuid, 9, 100,
        md5('run 16')::uuid);
DELETE FROM generations WHERE message_id = md5('answer 16')::uuid;
