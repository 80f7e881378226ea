INSERT INTO teams (id, name) VALUES (md5('team 9')::uuid, 'Team 9');
INSERT INTO team_members (team_id, user_id, role)
    VALUES (md5('team 9')::uuid, md5('user 9')::uuid, 'owner');
UPDATE conversations SET team_id = md5('team 9')::uuid WHERE id = md5('conversation 9')::uuid;
INSERT INTO audit_log (actor_id, actor_name, action, team_id, object)
    VALUES (md5('user 9')::uuid, 'user 9', 'team.create', md5('team 9')::uuid, 'Team 9');
