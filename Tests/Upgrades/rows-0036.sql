UPDATE conversations SET max_thinking_tokens = 100 WHERE id = md5('conversation 36')::uuid;
