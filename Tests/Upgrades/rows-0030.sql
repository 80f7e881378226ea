UPDATE conversations SET api_user_id = md5('user 30')::uuid, api_stored = true,
        expires_at = now() + interval '30 days'
    WHERE id = md5('conversation 30')::uuid;
