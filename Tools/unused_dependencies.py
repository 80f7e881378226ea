#!/usr/bin/env python3
"""Finds dependencies that Package.swift declares for a target and that no Swift file of it imports. Programs that
tests run are ignored: they are built for the tests; so are macros, which the compiler runs. Prints each as TARGET: DEPENDENCY and fails if there are any."""
import json
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FOLDERS = {"test": "Tests"}
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|func|typealias|var|let)\s+)?(\w+)",
    re.MULTILINE,
)


def package():
    dump = subprocess.run(
        ["swift", "package", "dump-package"], cwd=ROOT, capture_output=True, text=True, check=True,
    )
    return json.loads(dump.stdout)


def swift_files(folder):
    for path, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".swift"):
                yield os.path.join(path, name)


def imports(folder):
    found = set()
    for file in swift_files(folder):
        with open(file, encoding="utf-8") as text:
            found.update(IMPORT.findall(text.read()))
    return found


def dependencies(target):
    """The names of a target's dependencies, in any notation."""
    for dependency in target["dependencies"]:
        for value in dependency.values():
            yield value[0]


def main():
    targets = package()["targets"]
    programs = {target["name"] for target in targets if target["type"] == "executable"}
    macros = {target["name"] for target in targets if target["type"] == "macro"}
    unused = []
    for target in targets:
        if target["type"] not in ("regular", "executable", "test"):
            continue
        folder = target.get("path") or os.path.join(
            FOLDERS.get(target["type"], "Sources"), target["name"]
        )
        imported = imports(os.path.join(ROOT, folder))
        for name in dependencies(target):
            is_program = target["type"] == "test" and name in programs or name in macros
            if name.replace("-", "_") not in imported and not is_program:
                unused.append(f"{target['name']}: {name}")
    for line in unused:
        print(line, file=sys.stderr)
    return 1 if unused else 0


if __name__ == "__main__":
    sys.exit(main())
