"""Converts auto_explain's entries of a PostgreSQL log to Markdown: one plan per statement, the one
with the median time, without the planner's estimates."""

import re
import sys


def entries(path):
    """Yields (milliseconds, statement, plan) for each entry."""
    entry = None
    for line in open(path, encoding="utf-8", errors="replace"):
        start = re.search(r"duration: ([0-9.]+) ms  plan:$", line.rstrip())
        if start:
            if entry:
                yield finish(*entry)
            entry = (float(start.group(1)), [])
        elif entry and line.startswith("\t"):
            entry[1].append(line[1:].rstrip())
        elif entry:
            yield finish(*entry)
            entry = None
    if entry:
        yield finish(*entry)


def finish(milliseconds, lines):
    """Splits the statement from its plan, which starts with the first cost."""
    first = next((i for i, line in enumerate(lines) if "(cost=" in line), len(lines))
    statement = " ".join(" ".join(lines[:first]).removeprefix("Query Text:").split())
    plan = []
    for line in lines[first:]:
        if "Output:" in line or "Planning" in line:
            continue
        line = re.sub(r"  \(cost=[^)]*\)", "", line)
        plan.append(re.sub(r"'[0-9a-f-]{36}'", "'…'", line)[:118])
    return milliseconds, statement, plan


def main():
    statements = {}
    for milliseconds, statement, plan in entries(sys.argv[1]):
        if "bench_figures" in statement or not plan:
            continue
        statements.setdefault(statement, []).append((milliseconds, plan))
    # Most frequent first.
    order = sorted(statements.items(), key=lambda item: -len(item[1]))
    for statement, runs in order:
        if len(runs) < 3:
            continue
        runs.sort(key=lambda run: run[0])
        milliseconds, plan = runs[len(runs) // 2]
        shown = statement if len(statement) < 400 else statement[:400] + " …"
        print(f"## {len(runs)} runs, median {milliseconds:.2f} ms\n")
        print("```sql\n" + shown + "\n```\n\n```text\n" + "\n".join(plan) + "\n```\n")


main()
