INSERT INTO share_links (id, conversation_id, leaf_id, token_hash, created_by)
    VALUES (md5('share 13')::uuid, md5('conversation 13')::uuid, md5('answer 13')::uuid,
        sha256('share 13'), md5('user 13')::uuid);
