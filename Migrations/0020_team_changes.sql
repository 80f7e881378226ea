-- Teams in users' lists: each change of a team takes the next number of everybody in it, from the counters
-- that count the changes of their conversations (0006_lists.sql). Kept compacted: of each team only its
-- last change.

CREATE TABLE team_changes (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    -- No reference: who is away when a team goes is still to be told of it.
    team_id uuid NOT NULL,
    u bigint NOT NULL,
    PRIMARY KEY (user_id, team_id)
) WITH (fillfactor = 50);

CREATE INDEX team_changes_numbers ON team_changes (user_id, u);
CREATE INDEX team_changes_team ON team_changes (team_id);
