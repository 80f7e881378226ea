UPDATE conversations SET api_user_id = md5('user 31')::uuid, api_stored = true,
        expires_at = now() + interval '30 days', api_options = '{"n": 1}'
    WHERE id = md5('conversation 31')::uuid;
