INSERT INTO team_changes VALUES (md5('user 9')::uuid, md5('team 9')::uuid, 2);
UPDATE list_positions SET u = 2 WHERE user_id = md5('user 9')::uuid;
