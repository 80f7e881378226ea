"""Paraphrases with slots, and the generator that fills them, with typos and other casing.

Each list T(...) of paraphrases holds out every sixth one: training never sees it, evaluate.py
uses it.
"""

import random


class T:
    """Paraphrases: every sixth is held out for the evaluation."""

    def __init__(self, *items):
        self.train = [x for i, x in enumerate(items) if i % 6 != 5]
        self.test = [x for i, x in enumerate(items) if i % 6 == 5] or self.train


class R:
    """A reply and its short, French and Finnish forms (None: there is none)."""

    def __init__(self, text, one=None, fr=None, fi=None, key=None):
        self.text, self.one, self.fr, self.fi = text, one, fr, fi
        self.key = key or [text]  # what an answer must contain to count as right


TYPO_SAFE = 4
OPENINGS = [
    "hi, ", "Hi! ", "hello, ", "hey phi, ", "quick question: ", "just wondering: ", "Phi, ", "um, ",
    "well, ", "now ", "also: ", "sorry, ", "question: ", "ok so ", "next: ", "then ", "Tell me: ",
]
ENDINGS = [
    "", "??", " plz", " pls", " for me?", "...", " mate?", ", ok?", "?!", " ?", " tho",
    " actually?"
]
SHORT_FORMS = [
    ("What is", "whats"), ("what is", "whats"), ("What is", "What's"), ("How is", "hows"),
    ("please", "plz"), (" you ", " u "), (" are ", " r "), (" your ", " ur "),
    ("colour", "color"), ("do not", "dont"), ("I am", "im"), ("I'm", "im"),
    ("Do you know", "do u know"), ("Can you", "can u"), ("Could you", "could u"),
    ("want to", "wanna"), (" is ", "'s "), ("Tell me", "gimme"), ("Give me", "gimme"),
    (" and ", " & "),
]


def typo(rng, word):
    i = rng.randrange(1, len(word) - 1)
    kind = rng.random()
    if kind < 0.4:
        return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    if kind < 0.75:
        return word[:i] + word[i + 1 :]
    return word[:i] + word[i] + word[i:]


class Gen:
    def __init__(self, seed, split="train", noisy=True):
        self.rng, self.split, self.noisy = random.Random(seed), split, noisy

    def one(self, items):
        if isinstance(items, T):
            items = getattr(items, self.split)
        return self.rng.choice(items)

    def p(self, x):
        return self.rng.random() < x

    def say(self, items, **slots):
        """A paraphrase with its slots filled; sometimes with a typo or other casing or marks."""
        t, rng = self.one(items), self.rng
        if self.noisy:
            if self.p(0.10):
                words = t.split(" ")
                i = rng.randrange(len(words))
                if len(words[i]) > TYPO_SAFE and words[i].isalpha():
                    words[i] = typo(rng, words[i])
                    t = " ".join(words)
            if self.p(0.30) and t[:1].isalpha() and not t.startswith("I "):
                t = t[0].lower() + t[1:]
            if self.p(0.08):
                t = "".join(x if x.startswith("{") else x.lower() for x in split_slots(t))
            if self.p(0.25):
                t = t.rstrip("?.!")
            elif self.p(0.06):
                t += rng.choice(["!", "!!", "?", " :)"])
            if self.p(0.08):
                t = (
                    rng.choice(
                        ["hey, ", "ok, ", "please, ", "so, ", "hm, ", "one more thing: ", "and "]
                    )
                    + t
                )
            elif self.p(0.05):
                t = t.rstrip("?.!") + rng.choice([", please", " please?", ", thanks", " now"])
            t = self.texting(t)
        return t.format(**slots)

    def texting(self, t):
        """What people type in a hurry: an opening, short forms, a word or marks at the end."""
        if self.p(0.08):
            t = self.one(OPENINGS) + t
        if t.endswith("?") and self.p(0.10):
            t = t[:-1] + self.one(ENDINGS)
        if self.p(0.12):
            for long, short in SHORT_FORMS:
                if long in t and self.p(0.6):
                    t = t.replace(long, short, 1)
        return t


def split_slots(t):
    out, cur = [], ""
    for ch in t:
        if ch == "{":
            out.append(cur)
            cur = ch
        elif ch == "}":
            out.append(cur + ch)
            cur = ""
        else:
            cur += ch
    return out + [cur]


def cap(s):
    return s[0].upper() + s[1:]
