INSERT INTO mentions VALUES
    (md5('conversation 18')::uuid, md5('question 18')::uuid, md5('user 18')::uuid, 1);
INSERT INTO prompts (id, owner_id) VALUES (md5('library 18')::uuid, md5('user 18')::uuid);
INSERT INTO prompt_versions (prompt_id, version, name, body, author_id)
    VALUES (md5('library 18')::uuid, 1, 'kind', 'be kind', md5('user 18')::uuid);
