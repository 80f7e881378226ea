INSERT INTO folders VALUES (md5('folder 26')::uuid, md5('user 26')::uuid, 'Sums');
UPDATE members SET folder_id = md5('folder 26')::uuid, tags = '{one,two}'
    WHERE conversation_id = md5('conversation 26')::uuid;
