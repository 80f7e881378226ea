INSERT INTO share_links (id, conversation_id, leaf_id, token_hash, created_by, snapshot_title)
    VALUES (md5('share 29')::uuid, md5('conversation 29')::uuid, md5('answer 29')::uuid,
        sha256('share 29'), md5('user 29')::uuid, 'As it was');
