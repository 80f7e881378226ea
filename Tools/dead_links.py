#!/usr/bin/env python3
"""Finds dead links: in Markdown files every link to a file or heading of this repository, and in
all files every path that begins with docs/. Prints each as FILE:LINE and fails if there are any."""
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
# Markdown that is not text: fenced and inline code.
FENCE = re.compile(r"^\s*(```|~~~)")
INLINE_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
# [text](target), ![text](target), <img src="target">, and [name]: target.
TARGET = re.compile(r'\]\(<?([^)\s>]+)>?[^)]*\)|(?:src|href)="([^"]+)"|^\[[^\]]+\]:\s+(\S+)')
# A path docs/… of this repository, not part of another path or address.
DOCS_PATH = re.compile(r"(?<![\w./:-])docs/[\w./-]*\w")
# An applied migration must not change, not even in a comment.
UNCHANGEABLE = ("Migrations/",)


def tracked_files():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )
    return [name for name in listed.stdout.splitlines() if os.path.isfile(os.path.join(ROOT, name))]


def lines_of(name):
    """The lines of a text file; none for a binary one."""
    try:
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            return file.read().splitlines()
    except UnicodeDecodeError:
        return []


def text_lines(name):
    """The lines of a Markdown file outside of code, with their numbers."""
    fenced = False
    for number, line in enumerate(lines_of(name), start=1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchor(heading):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return text.replace(" ", "-")


def anchors(name):
    found = set()
    for _, line in text_lines(name):
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            base = candidate = anchor(heading.group(1))
            count = 0
            while candidate in found:
                count += 1
                candidate = f"{base}-{count}"
            found.add(candidate)
    return found


def dead_link(name, target):
    """The error of a link's target in the file `name`; None if it is valid."""
    if re.match(r"[a-zA-Z][a-zA-Z+.-]*:", target):
        return None
    path, _, fragment = target.partition("#")
    file = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
    if file.startswith("..") or not os.path.exists(os.path.join(ROOT, file)):
        return f"no such file: {target}"
    if fragment and file.endswith(".md") and fragment not in anchors(file):
        return f"no such heading: {target}"
    return None


def main():
    failures = []
    for name in tracked_files():
        if name.endswith(".md"):
            for number, line in text_lines(name):
                for match in TARGET.finditer(INLINE_CODE.sub("", line)):
                    problem = dead_link(name, next(group for group in match.groups() if group))
                    if problem:
                        failures.append(f"{name}:{number}: {problem}")
        if not name.startswith(UNCHANGEABLE):
            for number, line in enumerate(lines_of(name), start=1):
                for path in DOCS_PATH.findall(line):
                    if not os.path.exists(os.path.join(ROOT, path)):
                        failures.append(f"{name}:{number}: no such file: {path}")
    print("\n".join(failures), end="\n" if failures else "", file=sys.stderr)
    return 1 if failures else 0


sys.exit(main())
