INSERT INTO team_invites (id, team_id, token_hash, role, created_by, expires_at, uses_left)
    VALUES (md5('invite 12')::uuid, md5('team 9')::uuid, sha256('invite 12'), 'member',
        md5('user 9')::uuid, now() + interval '1 day', 3);
UPDATE conversations SET team_id = md5('team 9')::uuid, is_open = true
    WHERE id = md5('conversation 12')::uuid;
INSERT INTO team_members (team_id, user_id, role)
    VALUES (md5('team 9')::uuid, md5('user 12')::uuid, 'member');
