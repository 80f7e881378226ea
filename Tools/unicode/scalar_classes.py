"""Writes Sources/Tokenizers/ScalarClassRanges.swift: the Unicode classes that the tokenizers' word patterns
distinguish.

  pip install unicodedata2==16.0.0
  python Tools/unicode/scalar_classes.py > Sources/Tokenizers/ScalarClassRanges.swift

The version is that of the regular expressions in the reference, the `tokenizers` library 0.23: with
these tables all classes of all scalars agree with it. Python's own unicodedata is mostly older.
"""
import sys

import unicodedata2 as unicodedata

VERSION = "16.0.0"
# In the order of ScalarClass; the index is the number in the table.
CLASSES = ["other", "space", "number", "mark", "upper", "lower", "caseless"]
# Not a class: alternating upper and lower letters, starting with upper (U+0100 to U+0137).
ALTERNATING = len(CLASSES)
# White_Space of PropList.txt beyond the general categories Z*.
SPACE_CONTROLS = {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x85}


def scalar_class(value):
    category = unicodedata.category(chr(value))
    if value in SPACE_CONTROLS or category[0] == "Z":
        return "space"
    if category[0] in "NM":
        return {"N": "number", "M": "mark"}[category[0]]
    named = {"Lu": "upper", "Lt": "upper", "Ll": "lower", "Lm": "caseless", "Lo": "caseless"}
    return named.get(category, "other")


def ranges(classes):
    """(first scalar, class number) of each run, alternating letters being one run."""
    result = []
    value = 0
    while value < len(classes):
        end = value
        while end < len(classes) and classes[end] == CLASSES[4 + (end - value) % 2]:
            end += 1
        if end - value >= 4:
            result.append((value, ALTERNATING))
        else:
            end = value + 1
            while end < len(classes) and classes[end] == classes[value]:
                end += 1
            result.append((value, CLASSES.index(classes[value])))
        value = end
    return result


HEADER = f"""// Written by Tools/unicode/scalar_classes.py from Unicode {VERSION}; do not edit.

extension ScalarClass {{
    /// The Unicode version of the ranges.
    static let unicodeVersion = "{VERSION}"

    /// Each number is the first scalar of a range, shifted left by 3, and its content: the raw
    /// value of a class, or {ALTERNATING} for alternating upper and lower letters. A range ends where the next
    /// one starts.
    static let ranges: [UInt32] = ["""


def main():
    if unicodedata.unidata_version != VERSION:
        sys.exit(f"needs Unicode {VERSION}, has {unicodedata.unidata_version}")
    classes = [scalar_class(value) if not 0xD800 <= value < 0xE000 else "other"
               for value in range(0x110000)]
    numbers = [f"{first << 3 | number:#x}," for first, number in ranges(classes)]
    print(HEADER)
    line = ""
    for number in numbers:
        if len(line) + len(number) > 90:
            print(" " * 8 + line.rstrip())
            line = ""
        line += number + " "
    print(" " * 8 + line.rstrip())
    print("    ]\n}")


main()
