INSERT INTO openid_requests VALUES (sha256('state 11'), 'nonce', 'verifier', now() + interval '1 day');
INSERT INTO openid_identities VALUES ('https://id.example', 'subject 11', md5('user 11')::uuid);
