-- What Sources/ChatStore/Store+Messages.swift and Transaction+Turns.swift run for one question, statement by statement; the row of the
-- queue is taken out again, as its answer would.
SELECT conversation AS c, user_id AS u, gen_random_uuid() AS q, gen_random_uuid() AS a,
    gen_random_uuid() AS k FROM bench_clients WHERE client = :client_id \gset
BEGIN;
INSERT INTO idempotency_keys (user_id, key, request_hash) VALUES (':u', ':k', '\x00') ON CONFLICT DO NOTHING;
SELECT c.event_number AS n, c.leaf_id AS leaf, c.title, m.role, m.selected_id FROM conversations c
    LEFT JOIN members m ON m.conversation_id = c.id AND m.user_id = ':u'
    WHERE c.id = ':c' AND c.deleted_at IS NULL FOR UPDATE OF c \gset
SELECT 0::bigint, count(*) FROM generations WHERE user_id = ':u';
SELECT depth AS d FROM messages WHERE conversation_id = ':c' AND id = ':leaf' AND deleted_at IS NULL \gset
INSERT INTO messages (conversation_id, id, parent_id, depth, role, author_id, body, state, created_at, created_n)
    VALUES (':c', ':q', ':leaf', :d + 1, 'user', ':u', 'Hello!', 'complete', now(), :n + 1);
INSERT INTO messages (conversation_id, id, parent_id, depth, role, body, state, run_id, created_at, created_n)
    VALUES (':c', ':a', ':q', :d + 2, 'assistant', '', 'queued', ':k', now(), :n + 2);
WITH c AS (
    SELECT model, max_tokens, warm_node,
        coalesce(context_tokens, octet_length(system_prompt) / 4 + 8) AS tokens
    FROM conversations WHERE id = ':c'
), g AS (
    INSERT INTO generations (message_id, conversation_id, user_id, priority, prompt_tokens)
    SELECT ':a', ':c', ':u', 0, c.tokens + 9 FROM c RETURNING position, prompt_tokens
)
SELECT g.position, g.prompt_tokens, c.max_tokens, c.model, c.warm_node FROM g, c;
INSERT INTO events (conversation_id, n, name, message_id) VALUES (':c', :n + 1, 'message.created', ':q');
INSERT INTO events (conversation_id, n, name, message_id) VALUES (':c', :n + 2, 'message.created', ':a');
UPDATE conversations SET event_number = :n + 2, leaf_id = ':a', updated_at = now() WHERE id = ':c';
UPDATE members SET activity_at = now() WHERE conversation_id = ':c';
UPDATE idempotency_keys SET reply = '{}' WHERE user_id = ':u' AND key = ':k';
DELETE FROM generations WHERE message_id = ':a';
END;
