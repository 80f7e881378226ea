-- Links to a conversation as it was when they were made.

ALTER TABLE share_links
    -- The title of then, of a link that shows nothing later; its `leaf_id` is the last message that it
    -- shows. Null for a link that shows what follows, too.
    ADD COLUMN snapshot_title text CHECK (octet_length(snapshot_title) <= 500),
    ADD CHECK (snapshot_title IS NULL OR leaf_id IS NOT NULL);
