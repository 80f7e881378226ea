INSERT INTO device_sign_ins (device_code_hash, user_code_hash, device, expires_at, poll_interval, state, user_id)
    VALUES (sha256('device 35'), sha256('user code 35'), 'stoa on laptop', now() + interval '1 day', 2,
        'confirmed', md5('user 35')::uuid);
