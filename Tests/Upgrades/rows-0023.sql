UPDATE members SET pinned_at = now() WHERE conversation_id = md5('conversation 23')::uuid;
