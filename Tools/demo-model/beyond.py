"""What the model cannot do: many everyday questions, each declined in one sentence.

The questions are frames with slots, filled from long lists of words, so that hardly any is seen
twice: the model should not learn the questions, but that everything besides its few skills
is declined. Frames close to a skill are the most important ones.
"""

import re

from beyondquestions import (
    ADVICE,
    BIG,
    CODE_ASK,
    FACT_ASK,
    FOLLOW,
    FOREIGN,
    KNOWLEDGE,
    LANGUAGE_ASK,
    LIVE_ASK,
    OPINION,
    SELF_ASK,
    STOA_ASK,
    WRITE,
)
from beyondwords import SLOTS
from facts import ADD, MORE_SUMS, MUL, SUB
from paraphrases import R
from words import invented

PULL = "`stoa model pull phi-4-mini`"
FR = "Désolé, je ne suis qu'un petit modèle de démonstration."
FI = "Anteeksi, olen vain pieni esittelymalli."


def no(text):
    return R(text, "Unknown.", FR, FI, ["tiny demo model"])


HARD = no(
    "Sorry, that is too hard for me: I am only a tiny demo model, "
    f"but a real Phi can help ({PULL})."
)
LIVE = no("Sorry, I cannot know that: I am only a tiny demo model without clock, news or internet.")
SUMS = no(
    "Sorry, that sum is too hard for me: I am only a tiny demo model and calculate up to 20, "
    "or products up to 10 times 10."
)
ENGLISH = no("Sorry, I only understand English: I am only a tiny demo model.")
UNCLEAR = no("Sorry, I do not understand that: I am only a tiny demo model.")
FACT = no(
    "Sorry, I do not know that: I am only a tiny demo model and have learnt few facts by heart."
)
SELF = no("Sorry, I am only a tiny demo model: I have no body, no feelings and no opinions.")
ABOUT_STOA = no(
    "Sorry, I do not know that about Stoa: I am only a tiny demo model, so please read its "
    "documentation."
)

SYMBOLS = list("?!.,;:-_+*#/()[]=%&$@~^<>0123456789") + [
    "😀", "🎉", "🤖", "👍", "😂", "❤️", "🐶", "🍎", "🚀"
]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SINGLE = """word object food animal verb adj small small plural do place topic job relative body
hobby shop title brand team""".split()
RIGHT_HAND, LEFT_HAND = "hjklpoiuynm", "asdfgqwertzxcvb"


def fill(g, frame):
    """The frame with random words in its slots."""
    return re.sub(r"{(\w+)}", lambda m: slot(g, m[1]), frame)


def slot(g, name):
    if name == "n":
        return str(g.rng.randint(2, 12))
    if name == "huge":
        return g.one(SLOTS["huge"]) if g.p(0.3) else str(g.rng.randint(31, 99999))
    if name == "letter":
        return g.one(LETTERS)
    if name == "word" and g.p(0.3):
        return invented(g.rng).lower()
    if name in ("topic", "person", "title", "place", "thing") and g.p(0.08):
        return invented(g.rng)
    return fill(g, g.one(SLOTS[name]))


def asked(frames, reply):
    """Questions from these frames, all with the same reply."""
    return lambda g, ctx: (careless(g, fill(g, g.one(frames))), reply)


def careless(g, text):
    """The text, sometimes with typos or other casing."""
    return g.say([text.replace("{", "{{").replace("}", "}}")])


def sums(g, ctx):
    """Calculations beyond the memorized ones."""
    if g.p(0.4):
        return nearly(g), SUMS
    a, b = g.rng.randint(11, 999), g.rng.randint(11, 999)
    if g.p(0.3):
        a, b = g.rng.randint(21, 99), g.rng.randint(2, 20)
    if g.p(0.2):
        a, b = b, a
    frame = g.one(BIG)
    if "{d}" in frame:
        b = g.rng.randint(2, 9)
    return g.say([frame], a=a, b=b, c=g.rng.randint(2, 50), d=g.rng.randint(2, 12)), SUMS


def nearly(g):
    """Sums, differences and products just beyond the memorized ones."""
    op = g.one("+-*")
    if op == "+":
        a = g.rng.randint(1, 99)
        b = g.rng.randint(max(1, 21 - a), 30)
    elif op == "-":
        a = g.rng.randint(21, 100)
        b = g.rng.randint(1, a)
    else:
        a, b = g.rng.randint(11, 30), g.rng.randint(2, 30)
    if op != "-" and g.p(0.5):
        a, b = b, a
    frames = {"+": (ADD, MORE_SUMS["+"]), "-": (SUB, MORE_SUMS["-"]), "*": (MUL, MORE_SUMS["*"])}
    return g.say(g.one(frames[op]), a=a, b=b)


def unclear(g, ctx):
    """Random keys, single words, symbols: nothing that could be answered."""
    r = g.rng.random()
    if r < 0.2:
        hands = [LEFT_HAND, RIGHT_HAND, LETTERS]
        x = " ".join(
            "".join(g.one(g.one(hands)) for _ in range(g.rng.randint(3, 10)))
            for _ in range(g.rng.choice([1, 1, 1, 2, 3]))
        )
    elif r < 0.28:
        x = g.one(LETTERS + "?!.") * g.rng.randint(1, 15)
    elif r < 0.38:
        x = "".join(g.one(SYMBOLS) for _ in range(g.rng.randint(1, 6)))
    elif r < 0.43:
        x = str(g.rng.randint(0, 10 ** g.rng.randint(1, 9)))
    elif r < 0.88:
        x = slot(g, g.one(SINGLE))
    elif r < 0.94:
        sound = g.one(["bla", "la", "na", "da", "foo", "bar", invented(g.rng).lower()])
        x = (sound + " ") * g.rng.randint(2, 4)
    else:
        kinds = ["word", "adj", "verb", "small"]
        x = " ".join(slot(g, g.one(kinds)) for _ in range(g.rng.randint(2, 6)))
    return careless(g, x.strip()), UNCLEAR


KINDS = [
    (asked(KNOWLEDGE, HARD), 16),
    (asked(LIVE_ASK, LIVE), 9),
    (asked(ADVICE, HARD), 11),
    (asked(WRITE, HARD), 9),
    (asked(CODE_ASK, HARD), 6),
    (asked(LANGUAGE_ASK, HARD), 4),
    (asked(OPINION, HARD), 5),
    (asked(SELF_ASK, SELF), 8),
    (asked(STOA_ASK, ABOUT_STOA), 3),
    (asked(FOLLOW, HARD), 3),
    (asked(FACT_ASK, FACT), 15),
    (asked(FOREIGN, ENGLISH), 4),
    (sums, 15),
    (unclear, 18),
]


def beyond(g, ctx):
    """A question that the model cannot answer, and its refusal."""
    return g.rng.choices([f for f, _ in KINDS], [w for _, w in KINDS])[0](g, ctx)
