INSERT INTO system_prompts (id, conversation_id, version, body, author_id)
    VALUES (md5('prompt 8')::uuid, md5('conversation 8')::uuid, 1, 'be kind', md5('user 8')::uuid);
UPDATE conversations SET system_prompt_id = md5('prompt 8')::uuid, context_policy = 'summarize'
    WHERE id = md5('conversation 8')::uuid;
INSERT INTO summaries (id, conversation_id, through_id, message_count, body, receipt)
    VALUES (md5('summary 8')::uuid, md5('conversation 8')::uuid, md5('answer 8')::uuid, 2,
        'They asked for a sum.', '{}');
