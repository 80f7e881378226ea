"""Generates a pgbench script (-M prepared) of one turn from the statements that the server sent for one, as
PostgreSQL logged them with their parameters (log_statement = 'all'). What differs in each turn becomes
a variable: ids, the key, event numbers. Usage: turn.py LOG CONVERSATIONS, where the
latter is the number of rows of bench_conversations, from which each turn takes one."""

import re
import sys

UUID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")


def statements(path):
    """Yields (process, statement, parameters) in the order of the log."""
    kind, process, lines, current = None, None, [], None
    for line in open(path, encoding="utf-8", errors="replace"):
        head = re.match(r"^\S+ \S+ \S+ \[(\d+)\] (\w+):  (.*)$", line)
        if not head:
            lines.append(line.strip())
            continue
        if kind == "execute":
            if current:
                yield current
            # On one line, a comment would hide what follows it.
            current = [process, " ".join(re.sub(r"\s*--.*", "", line) for line in lines), {}]
        elif kind == "parameters" and current:
            text = " ".join(lines)
            values = re.findall(r"\$(\d+) = (NULL|'(?:[^']|'')*')", text)
            current[2] = {int(number): value for number, value in values}
            yield current
            current = None
        process, text = head.group(1), head.group(3)
        if text.startswith("execute "):
            kind, lines = "execute", [text.split(": ", 1)[1]]
        elif text.startswith("parameters: "):
            kind, lines = "parameters", [text]
        else:
            kind, lines = None, []
    if current:
        yield current


def one_turn(path):
    """The statements of a plain turn: from one lock of a conversation to the next."""
    every = [s for s in statements(path) if "node_watches WHERE node_id" not in s[1]]
    locks = [index for index, (_, sql, _) in enumerate(every) if "FOR UPDATE OF c" in sql]
    # Each lock's transaction starts in the statement before it.
    turns = [every[a - 1 : b - 1] for a, b in zip(locks, locks[1:])]
    # Neither a conversation's first turn, which sets its title, nor one that triggers another.
    plain = [
        turn
        for turn in turns
        if sum("INSERT INTO idempotency_keys" in sql for _, sql, _ in turn) == 1
        and sum("INSERT INTO messages" in sql for _, sql, _ in turn) == 2
        and not any("SET title" in sql for _, sql, _ in turn)
    ]
    # Without the server's periodic work.
    return min(plain, key=len)


def main():
    turn = one_turn(sys.argv[1])
    queued = next(values for _, sql, values in turn if "INSERT INTO generations" in sql)
    conversation, user = (queued[number].strip("'") for number in (2, 3))
    names, made = {conversation: "c", user: "u"}, []
    numbers = []
    for _, sql, values in turn:
        if "INSERT INTO events" in sql:
            numbers.append(int(values[2].strip("'")))
    base = min(numbers) - 1
    body = []

    def variable(uuid):
        if uuid not in names:
            names[uuid] = f"id{len(made)}"
            made.append(names[uuid])
        return f":{names[uuid]}::uuid"

    for process, sql, values in turn:
        def value(match):
            number = int(match.group(1))
            text = values.get(number, "NULL")
            if text == "NULL":
                return "NULL"
            plain = text[1:-1]
            if (
                "INSERT INTO events" in sql and number == 2
                or "event_number = $2" in sql and number == 2
                or "INSERT INTO messages" in sql and number == 11
            ):
                return f"(:n::bigint + {int(plain) - base})"
            if "idempotency_keys" in sql and number == 2:
                return ":k"
            if "INSERT INTO generations" in sql and number == 6:
                return ":position"
            if "INSERT INTO messages" in sql and number == 3 and plain not in names:
                return ":leaf::uuid"
            if UUID.match(plain):
                return variable(plain)
            if plain.startswith("{") and UUID.match(plain[1:-1].split(",")[0]):
                parts = [variable(part) for part in plain[1:-1].split(",")]
                return "ARRAY[" + ", ".join(parts) + "]"
            return re.sub(r"(?<![\w:]):(?=[A-Za-z_])", ": ", text)
        text = re.sub(r"\$(\d+)", value, sql)
        text = re.sub(r"(:\w+::uuid)::uuid", r"\1", text)
        if "FOR UPDATE OF c" in sql:
            text = f"SELECT event_number AS n, leaf_id AS leaf FROM ({text}) locked \\gset"
            body.append(text)
        elif "nextval(" in sql:
            body.append(f"{text} \\gset")
        else:
            body.append(text + ";")
    head = [
        # No two of the 8 clients use one conversation at the same time.
        f"\\set row random(0, {int(sys.argv[2]) // 8 - 1}) * 8 + :client_id + 1",
        "SELECT conversation AS c, user_id AS u FROM bench_conversations WHERE n = :row \\gset",
    ]
    # Version 7, as the server creates them: new rows are adjacent in the indexes.
    time = "substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)"
    uuid = f"encode(overlay(uuid_send(gen_random_uuid()) PLACING {time} FROM 1 FOR 6), 'hex')::uuid"
    choose = ", ".join(["gen_random_uuid()::text AS k"] + [f"{uuid} AS {m}" for m in made])
    head.append(f"SELECT {choose} \\gset")
    print("\n".join(head + body))


main()
