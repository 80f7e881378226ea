"""The 300 everyday questions that training never sees, nor close variants of them."""

import json
import os
import re
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
LIKE = 0.8  # the share of common words above which two questions count as the same


def questions(tuning=False):
    """The questions of everyday.jsonl, or those for tuning."""
    name = "everyday-tuning.jsonl" if tuning else "everyday.jsonl"
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def tokens(text):
    """The words and numbers of a question, and how often each comes."""
    return Counter(re.findall(r"\w+", text.lower()))


def likeness(a, b):
    """The share of words that two questions have in common."""
    return (a & b).total() / (a | b).total()


class HeldOut:
    """The questions of one turn and of three words and more; shorter ones are in every corpus."""

    def __init__(self):
        asked = [(q["turns"][0], tokens(q["turns"][0])) for q in questions() if len(q["turns"]) == 1]
        self.asked = [(text, key, key.total()) for text, key in asked if key.total() > 2]

    def like(self, text):
        """The question that `text` equals or resembles; None if there is none."""
        said = tokens(text)
        n = said.total()
        for question, key, m in self.asked:
            if min(n, m) > LIKE * max(n, m) and likeness(key, said) > LIKE:
                return question
        return None
