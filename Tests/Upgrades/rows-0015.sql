UPDATE conversations SET held_at = now(), hold_reason = 'a case' WHERE id = md5('conversation 15')::uuid;
UPDATE teams SET retention_days = 365 WHERE id = md5('team 9')::uuid;
