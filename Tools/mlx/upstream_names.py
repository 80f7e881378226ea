#!/usr/bin/env python3
"""Lists the public names of a clone of MLX Swift LM, as FILE<TAB>NAME, for Tools/mlx/names.tsv:

    Tools/mlx/upstream_names.py CLONE >Tools/mlx/names.tsv

Names are those of documentation: Type.function(label:). Declarations are found by their words and braces, which is
enough for code that swift-format has laid out."""
import os
import re
import sys

LIBRARIES = ["MLXLMCommon", "MLXLLM", "MLXHuggingFace"]
DECLARATION = re.compile(
    r"^(?P<words>(?:@\w+(?:\([^)]*\))?\s+|\b(?:open|final|static|class|indirect|mutating|nonisolated|convenience|required|override"
    r"|public|package|private|fileprivate|internal|lazy|weak|unowned|consuming|distributed|private\(set\)|internal\(set\)"
    r"|nonisolated\(unsafe\))\s+)*)"
    r"(?P<kind>struct|class|enum|protocol|actor|extension|func|var|let|init|typealias|macro|case|subscript|associatedtype)\b"
    r"\s*(?P<rest>.*)$",
    re.DOTALL,
)
TYPES = {"struct", "class", "enum", "protocol", "actor", "extension"}


def without_comments(text):
    """The text without comments and the contents of strings; lines stay."""
    out, index, size = [], 0, len(text)
    while index < size:
        two = text[index:index + 2]
        if two == "//":
            index = text.find("\n", index) % (size + 1)
        elif two == "/*":
            end = text.find("*/", index) + 2
            out.append("\n" * text.count("\n", index, end))
            index = end
        elif text.startswith('"""', index):
            end = text.find('"""', index + 3) + 3
            out.append('""' + "\n" * text.count("\n", index, end))
            index = end
        elif text[index] == '"':
            end = index + 1
            while text[end] != '"' and text[end] != "\n":
                end += 2 if text[end] == "\\" else 1
            out.append('""')
            index = end + 1
        else:
            out.append(text[index])
            index += 1
    return "".join(out)


def arguments(text):
    """The text within the first parentheses, and what is after them."""
    start, depth = text.index("("), 0
    for index in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return text[start + 1:index], text[index + 1:]
    return text[start + 1:], ""


def labels(text):
    """The labels of parameters, as in `name(first:_:)`."""
    found, depth, start = [], 0, 0
    parts = []
    for index, letter in enumerate(text):
        depth += {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1}.get(letter, 0)
        if letter == ">" and text[index - 1] != "-":
            depth -= 1
        if letter == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    for part in parts:
        words = re.sub(r"@\w+(\([^)]*\))?", "", part.split(":")[0]).split()
        if words:
            found.append(words[0].strip("`") + ":")
    return "".join(found)


def names(text):
    """The public names of a file."""
    scopes = []  # (name of the type or None, which members are public by default)
    statement = ""
    depth = 0
    for letter in without_comments(text):
        if letter == "(" or letter == "[":
            depth += 1
        elif letter == ")" or letter == "]":
            depth -= 1
        if depth > 0 or letter not in "{};\n":
            statement += letter
            continue
        # A declaration may go on in the next line.
        if letter == "\n" and (not statement.strip() or unfinished(statement)):
            statement += " "
            continue
        words = " ".join(statement.split())
        found = DECLARATION.match(words) if words else None
        scope = (None, None)
        if found and all(name is not None for name, _ in scopes):
            yield from declared(found, scopes)
            scope = opened(found, scopes)
        if letter == "{":
            scopes.append(scope if found and found["kind"] in TYPES else (None, None))
        elif letter == "}" and scopes:
            scopes.pop()
        statement = ""


def unfinished(statement):
    text = statement.strip()
    return bool(re.fullmatch(r"(@\w+(\([^)]*\))?\s*)+", text)) or text.endswith((",", ":", "->", "=", "&", "where"))


def opened(found, scopes):
    is_public = bool(re.search(r"\b(public|open)\b", found["words"]))
    name = re.match(r"[\w.]+", found["rest"])
    if found["kind"] not in TYPES or not name:
        return (None, None)
    shows = found["kind"] == "extension" or is_public or bool(scopes) and scopes[-1][1] == "all"
    by_default = {"protocol": "all", "extension": "all", "enum": "cases"}.get(found["kind"]) if is_public else None
    return (name[0] if shows else None, by_default)


def declared(found, scopes):
    kind, rest = found["kind"], found["rest"]
    is_public = bool(re.search(r"\b(public|open)\b", found["words"]))
    inherits = bool(scopes) and scopes[-1][1] == "all"
    if kind == "case":
        if not scopes or scopes[-1][1] != "cases":
            return
        for part in re.sub(r"\([^)]*\)", "", rest).split(","):
            name = re.match(r"\s*`?(\w+)", part)
            if name:
                yield ".".join([s for s, _ in scopes] + [name[1]])
        return
    if not is_public and not (inherits and not re.search(r"\b(private|fileprivate|internal|package)\b", found["words"])):
        return
    if kind in ("extension",):
        return
    prefix = [s for s, _ in scopes]
    if kind in ("func", "init", "macro", "subscript"):
        name = re.match(r"`?[\w]+`?|[^\w\s(]+", rest)
        base = kind if kind in ("init", "subscript") else (name[0].strip("`") if name else "?")
        inside = arguments(rest)[0] if "(" in rest else ""
        yield ".".join(prefix + [f"{base}({labels(inside)})"])
    else:
        name = re.match(r"`?(\w+)", rest)
        if name:
            yield ".".join(prefix + [name[1]])


def main():
    clone = sys.argv[1]
    lines = set()
    for library in LIBRARIES:
        for folder, _, files in os.walk(os.path.join(clone, "Libraries", library)):
            for file in files:
                if file.endswith(".swift"):
                    path = os.path.join(folder, file)
                    with open(path, encoding="utf-8") as text:
                        for name in names(text.read()):
                            lines.add(f"{os.path.relpath(path, os.path.join(clone, 'Libraries'))}\t{name}")
    print("\n".join(sorted(lines)))


main()
