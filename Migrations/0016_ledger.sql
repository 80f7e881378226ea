-- The ledger: what answers reserve and use, in tokens. Entries are only ever added, in the transaction
-- that makes them true; triggers add them, so that no answer joins the queue without its reservation, and
-- none leaves it without its settlement, whichever way it goes. docs/ledger.md says how it balances.
--
-- Ids here are no foreign keys: entries and counts outlive the users, teams and answers that they name.

ALTER TABLE generations
    -- Tokens that are kept free for the answer: a guess of its prompt, and the longest that it may be.
    ADD COLUMN reserved bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
    -- The day (UTC) that bears the cost, however late the answer ends.
    ADD COLUMN asked_on date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date;

CREATE TABLE ledger (
    answer_id uuid NOT NULL,
    -- "reserve" when it was asked; "settle" when it ended, or "release" where it had used nothing then.
    -- "summary" is the server's own work, whose `answer_id` is the summary's.
    kind text NOT NULL CHECK (kind IN ('reserve', 'settle', 'release', 'summary')),
    at timestamptz NOT NULL DEFAULT now(),
    day date NOT NULL,
    -- The run that ended it; null where none had begun.
    run_id uuid,
    -- Null for the server's own work.
    user_id uuid,
    team_id uuid,
    -- Added to what is reserved: an answer's entries come to 0 when it has ended.
    reserved bigint NOT NULL,
    -- Added to what is used.
    used bigint NOT NULL,
    CHECK (
        CASE kind
            WHEN 'reserve' THEN reserved >= 0 AND used = 0
            WHEN 'settle' THEN reserved <= 0 AND used > 0
            WHEN 'release' THEN reserved <= 0 AND used = 0
            ELSE reserved = 0 AND used > 0
        END
    )
);

-- One beginning and one end of each.
CREATE UNIQUE INDEX ledger_once ON ledger (answer_id, (kind = 'reserve'));
-- Entries come nearly in the order of days.
CREATE INDEX ledger_days ON ledger USING brin (day);

CREATE TRIGGER ledger_is_insert_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What was used, by day: sums of the ledger, kept in the transactions that add to it. What is reserved is
-- the sum of the queue's rows. Counts are locked behind the conversation's row and before the numbers of
-- lists: first the users', in order, then the teams'.
CREATE TABLE usage_days (
    -- Null for the server itself.
    user_id uuid,
    -- Of conversations of this team; null for those of none.
    team_id uuid,
    day date NOT NULL,
    used bigint NOT NULL CHECK (used >= 0),
    -- Answers that used something.
    answers integer NOT NULL CHECK (answers >= 0),
    UNIQUE NULLS NOT DISTINCT (user_id, day, team_id)
) WITH (fillfactor = 70);

CREATE INDEX usage_days_day ON usage_days (day, user_id);
CREATE INDEX usage_days_team ON usage_days (team_id, day, user_id) WHERE team_id IS NOT NULL;

-- A team's sums, in 16 parts by its members, so that they do not wait for one another.
CREATE TABLE team_usage_days (
    team_id uuid NOT NULL,
    day date NOT NULL,
    part smallint NOT NULL,
    used bigint NOT NULL CHECK (used >= 0),
    PRIMARY KEY (team_id, day, part)
) WITH (fillfactor = 70);

-- The most tokens that a user, or a team, may use. Where a limit is null, a user has the server's, a team
-- none.
CREATE TABLE budgets (
    user_id uuid REFERENCES users ON DELETE CASCADE,
    team_id uuid REFERENCES teams ON DELETE CASCADE,
    daily bigint CHECK (daily >= 0),
    monthly bigint CHECK (monthly >= 0),
    UNIQUE (user_id),
    UNIQUE (team_id),
    CHECK (num_nonnulls(user_id, team_id) = 1),
    CHECK (num_nonnulls(daily, monthly) > 0)
);

-- What waits already when this is applied.
UPDATE generations g SET reserved = g.prompt_tokens, team_id = c.team_id
FROM conversations c WHERE c.id = g.conversation_id;

INSERT INTO ledger (answer_id, kind, day, user_id, team_id, reserved, used)
SELECT message_id, 'reserve', asked_on, user_id, team_id, reserved, 0 FROM generations;

CREATE FUNCTION reserve_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.team_id := (SELECT c.team_id FROM conversations c WHERE c.id = NEW.conversation_id);
    INSERT INTO ledger (answer_id, kind, day, user_id, team_id, reserved, used)
    VALUES (NEW.message_id, 'reserve', NEW.asked_on, NEW.user_id, NEW.team_id, NEW.reserved, 0);
    RETURN NEW;
END
$$;

CREATE TRIGGER generations_reserve
    BEFORE INSERT ON generations
    FOR EACH ROW EXECUTE FUNCTION reserve_tokens();

-- Before the row goes, and with it the answer's kept parts.
CREATE FUNCTION settle_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    answer record;
    drawn bigint;
    spent bigint;
BEGIN
    SELECT m.state IN ('complete', 'stopped', 'failed') AS has_ended,
        coalesce(
            (m.usage ->> 'charged_tokens')::bigint,
            -- A server of the version before this one ended it.
            (m.usage ->> 'prompt_tokens')::bigint - (m.usage ->> 'cached_tokens')::bigint
                + (m.usage ->> 'completion_tokens')::bigint
        ) AS charged
    INTO answer
    FROM messages m WHERE m.conversation_id = OLD.conversation_id AND m.id = OLD.message_id;
    spent := answer.charged;
    -- Its run does not say: it was deleted while it grew, or ended by one that never began.
    IF spent IS NULL AND OLD.run_id IS NOT NULL THEN
        SELECT sum(octet_length(p.tokens)) / 4 INTO drawn
        FROM answer_parts p WHERE p.run_id = OLD.run_id;
        IF drawn > 0 OR answer.has_ended IS NOT TRUE THEN
            spent := OLD.prompt_tokens + coalesce(drawn, 0);
        END IF;
    END IF;
    INSERT INTO ledger (answer_id, kind, day, run_id, user_id, team_id, reserved, used)
    VALUES (
        OLD.message_id, CASE WHEN spent > 0 THEN 'settle' ELSE 'release' END, OLD.asked_on,
        OLD.run_id, OLD.user_id, OLD.team_id, -OLD.reserved, greatest(spent, 0)
    );
    RETURN OLD;
END
$$;

CREATE TRIGGER generations_settle
    BEFORE DELETE ON generations
    FOR EACH ROW EXECUTE FUNCTION settle_tokens();

CREATE FUNCTION count_usage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    ended record;
BEGIN
    FOR ended IN SELECT message_id FROM gone ORDER BY user_id, asked_on, team_id LOOP
        INSERT INTO usage_days AS u (user_id, team_id, day, used, answers)
        SELECT l.user_id, l.team_id, l.day, l.used, 1
        FROM ledger l WHERE l.answer_id = ended.message_id AND l.kind = 'settle'
        ON CONFLICT (user_id, day, team_id)
        DO UPDATE SET used = u.used + excluded.used, answers = u.answers + 1;
    END LOOP;
    FOR ended IN
        SELECT message_id, get_byte(uuid_send(user_id), 15) % 16 AS part
        FROM gone WHERE team_id IS NOT NULL ORDER BY team_id, asked_on, part
    LOOP
        INSERT INTO team_usage_days AS t (team_id, day, part, used)
        SELECT l.team_id, l.day, ended.part, l.used
        FROM ledger l WHERE l.answer_id = ended.message_id AND l.kind = 'settle'
        ON CONFLICT (team_id, day, part) DO UPDATE SET used = t.used + excluded.used;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER generations_count
    AFTER DELETE ON generations REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION count_usage();

-- The limits that an answer comes under, and what is used and reserved under each: of its asker and of
-- its conversation's team, today and this month. Whoever comes under a limit waits here for others under
-- the same one who are about to reserve; who comes under none, for nobody, and gets no sums.
CREATE FUNCTION budget_accounts(
    asker uuid,
    conversation uuid,
    -- Whether the server limits those for whom no limit was set.
    has_default boolean,
    OUT at timestamptz,
    OUT team uuid,
    OUT user_daily bigint,
    OUT user_monthly bigint,
    OUT user_used_today bigint,
    OUT user_used_this_month bigint,
    OUT user_reserved_today bigint,
    OUT user_reserved_this_month bigint,
    OUT team_daily bigint,
    OUT team_monthly bigint,
    OUT team_used_today bigint,
    OUT team_used_this_month bigint,
    OUT team_reserved_today bigint,
    OUT team_reserved_this_month bigint
) LANGUAGE plpgsql AS $$
DECLARE
    today date := (now() AT TIME ZONE 'UTC')::date;
    month_start date := date_trunc('month', today)::date;
BEGIN
    at := now();
    SELECT c.team_id, u.daily, u.monthly, t.daily, t.monthly
    INTO team, user_daily, user_monthly, team_daily, team_monthly
    FROM conversations c
    LEFT JOIN budgets u ON u.user_id = asker
    LEFT JOIN budgets t ON t.team_id = c.team_id
    WHERE c.id = conversation;
    -- The letters "bu" and "bt": a user's lock before a team's, so that nobody waits in a circle.
    IF has_default OR num_nonnulls(user_daily, user_monthly) > 0 THEN
        PERFORM pg_advisory_xact_lock(25205, hashtext(asker::text));
        SELECT coalesce(sum(used) FILTER (WHERE day = today), 0), coalesce(sum(used), 0)
        INTO user_used_today, user_used_this_month
        FROM usage_days WHERE user_id = asker AND day >= month_start;
        SELECT coalesce(sum(reserved) FILTER (WHERE asked_on = today), 0),
            coalesce(sum(reserved), 0)
        INTO user_reserved_today, user_reserved_this_month
        FROM generations WHERE user_id = asker AND asked_on >= month_start;
    END IF;
    IF num_nonnulls(team_daily, team_monthly) > 0 THEN
        PERFORM pg_advisory_xact_lock(25204, hashtext(team::text));
        SELECT coalesce(sum(used) FILTER (WHERE day = today), 0), coalesce(sum(used), 0)
        INTO team_used_today, team_used_this_month
        FROM team_usage_days WHERE team_id = team AND day >= month_start;
        SELECT coalesce(sum(reserved) FILTER (WHERE asked_on = today), 0),
            coalesce(sum(reserved), 0)
        INTO team_reserved_today, team_reserved_this_month
        FROM generations WHERE team_id = team AND asked_on >= month_start;
    END IF;
END
$$;
