"""Spelling, counting, repeating and reversing."""

from beyondwords import SLOTS
from facts import NUMBERS
from paraphrases import R, T
from words import ANIMALS, COLOURS, FOODS, invented

SHORT = sorted(
    set(
        """cat dog sun moon tree fish bird book milk rain snow star blue red green pink gold
hat bag cup pen car bus key map box fox owl bee ant cow pig hen egg ice tea jam leg
arm eye ear lip sky sea sand wind fire lake hill road door wall roof lamp ship boat
ring bell drum apple bread house mouse water stone light night chair table horse
tiger lemon peach grape plant cloud river beach world music paper happy hello stoa
phi swift query green white black brown""".split()
    )
)
SPELL = T(
    "Spell {w}.", "Spell the word {w}.", "How do you spell {w}?", "Can you spell {w}?",
    "spell {w}", "Please spell {w} for me.", "Spell out {w}.", "How is {w} spelled?",
    "Which letters are in {w}?", "Spell me {w}.", "Tell me how to spell {w}.",
    "{w}, letter by letter.", "Write {w} letter by letter.", "What are the letters of {w}?",
    "Say {w} letter by letter.", "Letter by letter: {w}", "Spell {w} letter by letter.",
    "{w}: spell it.", "{w}, how is it spelled?", "{w} is spelled how?",
    "{w}: letter by letter, please.", "Say the letters of {w}.", "spelling of the word {w}?",
    "What is the spelling of {w}?", "how do you write {w}, letter by letter?",
    "Could you spell {w} for us?", "Can you spell my name, {w}?", "Spell my cat's name: {w}",
    "how to spell {w}", "I want the letters of {w}.", "Spell the name {w}.", "Spell: {w}",
    "the letters in {w}?"
)
COUNT = T(
    "Count to {n}.", "Count from 1 to {n}.", "Can you count to {n}?", "Please count to {n}.",
    "count up to {n}", "Count until {n}.", "Start counting and stop at {n}.",
    "Count from one to {n}.", "Count all the way to {n}.", "Give me the numbers from 1 to {n}.",
    "Numbers from 1 to {n}, please.", "1 to {n}, please count.", "Write the numbers up to {n}.",
    "Count until you reach {n}.", "Count on until {n}.", "I want you to count to {n}.",
    "Now count to {n}.", "I'd like to hear you count to {n}.", "Count from 1 until {n}.",
    "Count from one up to {n}.", "Let us count to {n}.", "Count together with me to {n}.",
    "Could you count from 1 to {n}?", "1 till {n}", "numbers 1 to {n}",
    "List the numbers 1 to {n}.", "Say the numbers from one to {n}.", "Will you count to {n}?",
    "Show me how you count to {n}.", "Try to count to {n}.", "counting to {n}, go!"
)
REPEAT = T(
    "Repeat: {x}", "Say {x}", "Repeat after me: {x}", "Say this: {x}", "Echo {x}",
    "Please repeat: {x}", "Repeat this: {x}", "Please say: {x}", "Copy this: {x}", "Write: {x}",
    "Echo: {x}", "Say after me: {x}", "Repeat the words: {x}", "Copy: {x}", "Say the words: {x}",
    "Write this: {x}", "Please copy: {x}", "Please repeat this: {x}", "Just repeat: {x}",
    "Say exactly: {x}", "Repeat exactly this: {x}", "Echo this back: {x}", "Can you say: {x}",
    "Can you repeat the words {x}", "Repeat the phrase {x}", "Say the following: {x}",
    "Repeat what I say: {x}", "Parrot this: {x}", "now say {x}"
)
REVERSE = T(
    "Reverse the words: {x}", "Reverse: {x}", "Say backwards: {x}",
    "Put these words in reverse order: {x}", "Reverse the word order of: {x}",
    "Turn these words around: {x}", "Reverse these words: {x}", "Reverse the order of: {x}",
    "Backwards: {x}", "Say it backwards: {x}", "Please reverse: {x}",
    "Write in reverse order: {x}", "Put in reverse order: {x}", "Turn around: {x}",
    "Turn the words around: {x}", "Please turn around: {x}", "Now reverse: {x}",
    "Write these words backwards: {x}", "Order reversed: {x}", "Say these backwards: {x}",
    "Write this backwards: {x}", "Reverse the order: {x}", "Change the order around: {x}",
    "{x}, but backwards", "In reverse: {x}", "reverse this: {x}",
    "Please put these in reverse: {x}", "From last to first: {x}", "Can you reverse: {x}",
    "Last word first: {x}"
)


KNOWN = sorted(
    {
        w
        for name in ("animal", "object", "plural", "food", "word", "adj", "verb", "abstract")
        for w in SLOTS[name]
        if w.isascii() and w.isalpha() and w.islower()
    }
)


def spell(g, ctx):
    w = g.rng.choice(SHORT) if g.p(0.5) else g.rng.choice(KNOWN)
    s = "-".join(w.upper())
    return g.say(SPELL, w=w), R(s, s, key=[s])


def count(g, ctx):
    """Counting to a number from 1 to 30, given in digits or in words."""
    n = g.rng.randint(1, 30) if g.p(0.6) else g.rng.randint(1, 12)
    s = ", ".join(str(i) for i in range(1, n + 1))
    return g.say(COUNT, n=n if g.p(0.5) else in_words(n)), R(s, key=[s])


def in_words(n):
    if n <= 20:
        return NUMBERS[n]
    return "thirty" if n == 30 else "twenty-" + NUMBERS[n - 20]


def phrase(g, lo, hi):
    pool = SHORT + COLOURS + ANIMALS + FOODS
    return " ".join(
        invented(g.rng).lower() if g.p(0.2) else g.rng.choice(pool)
        for _ in range(g.rng.randint(lo, hi))
    )


def repeat(g, ctx):
    x = phrase(g, 1, 6)
    u = g.one(REPEAT).format(x=x)
    return u[0].lower() + u[1:] if g.noisy and g.p(0.3) else u, R(x, key=[x])


def reverse(g, ctx):
    x = phrase(g, 2, 4)
    u = g.one(REVERSE).format(x=x)
    y = " ".join(reversed(x.split()))
    return u, R(y, key=[y])
