-- The queued answer of the first schema has begun.
UPDATE messages SET state = 'streaming' WHERE id = md5('queued 1')::uuid;
UPDATE generations SET run_id = md5('queued run 1')::uuid, base = 0, tries = 1, attempts = 1
    WHERE message_id = md5('queued 1')::uuid;
INSERT INTO answer_parts (message_id, conversation_id, run_id, at, text, tokens)
    VALUES (md5('queued 1')::uuid, md5('conversation 1')::uuid, md5('queued run 1')::uuid, 0,
        'Two', '\x07000000');
