INSERT INTO models (name, revision, fetched_at, requested_by)
    VALUES ('microsoft/Phi-4-mini-instruct', 'main', now(), md5('user 2')::uuid);
