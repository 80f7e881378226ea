"""The lessons of a training run: which kinds of dialogues it sees, and how many of each.

  python lessons.py copy      prints a few dialogues of that mixture

Copying is what such a small model learns last and needs most (a name, a phrase, who said what), so
most lessons practise it: many invented words, asked for soon and later.
"""

import sys

from chatter import chatter
from decoys import decoy
from dialogues import add, begin, chat, plain, quiz, topic, topics
from facts import arithmetic, capital, colour, gravity, order
from heldout import HeldOut
from memory import (
    ASK_FIRST,
    ASK_LAST,
    Memory,
    TELL_NAME,
    ask,
    ask_all,
    ask_two,
    tell,
    tell_two,
    told_name,
)
from paraphrases import Gen, R, cap
from smalltalk import ASK_MY_NAME, bye, can, greet, odd, remark, thanks, who
from speakers import speakers
from stoahelp import how, stoa
from systemprompts import ask_kv, system_prompt
from wordplay import REPEAT, REVERSE, SHORT, SPELL, count, phrase, repeat, reverse, spell
from wordings import worded
from words import ANIMALS, COLOURS, CORE, FOODS, invented, number, thing
from writing import long_story, writing


def told(g, k):
    """A statement about `k`; names and cities are mostly invented, so they must be copied."""
    mem = Memory()
    u, r = tell(g, mem, k)
    if k == "name" and g.p(0.7):
        mem["name"] = invented(g.rng)
        u, r = g.say(TELL_NAME, v=mem["name"]), told_name(mem["name"])
    return u, r, mem[k]


def recall(g):
    """One to three statements, up to six turns about something else, then questions."""
    d, ctx = plain(g)
    mem = Memory()
    for k in g.rng.sample(
        ["name", "name", "name", "city", thing(g), thing(g)], g.rng.choice([1, 1, 2, 3])
    ):
        u, r, v = told(g, k)
        if k not in mem:
            mem[k] = v
            add(d, ctx, u, r)
            topics(g, d, ctx, g.rng.choice([0, 0, 0, 1, 2]))
    topics(g, d, ctx, g.rng.choice([0, 1, 2, 3, 4, 5, 6]))
    for k in g.rng.sample(list(mem), len(mem)):
        add(d, ctx, *ask(g, mem, k))
    if g.p(0.5):
        add(d, ctx, *ask(g, mem, g.rng.choice(["name", "city", thing(g)])))
    return d


def ask_back(g):
    """One thing told, and soon asked for: that, or something else that was not told."""
    d, ctx = plain(g)
    mem = Memory()
    k = g.one(["name", "city", thing(g), thing(g)])
    u, r, mem[k] = told(g, k)
    add(d, ctx, u, r)
    topics(g, d, ctx, g.rng.choice([0, 0, 0, 1]))
    add(d, ctx, *ask(g, mem))
    return d


def absent(g):
    """Questions about what was never stated, and one about what was."""
    d, ctx = plain(g)
    mem = Memory()
    for _ in range(g.rng.choice([0, 1, 1, 2])):
        add(d, ctx, *tell(g, mem))
    topics(g, d, ctx, g.rng.choice([0, 0, 1, 2]))
    for k in g.rng.sample(["name", "city", *CORE, thing(g)], 3):
        add(d, ctx, *ask(g, mem, k))
    if mem:
        add(d, ctx, *ask(g, mem, g.rng.choice(list(mem))))
    return d


def summary(g):
    """Several statements, then asked for all at once or in pairs."""
    d, ctx = plain(g)
    mem = Memory()
    if g.p(0.4):
        add(d, ctx, *tell_two(g, mem))
    for _ in range(g.rng.randint(1, 3)):
        add(d, ctx, *tell(g, mem, None if g.p(0.6) else "name" if g.p(0.5) else "city"))
        topics(g, d, ctx, g.rng.choice([0, 0, 0, 1]))
    topics(g, d, ctx, g.rng.choice([0, 0, 1, 2]))
    for _ in range(g.rng.randint(1, 2)):
        add(d, ctx, *(ask_two(g, mem) if len(mem) > 1 and g.p(0.5) else ask_all(g, mem)))
    return d


def corrected(g):
    """A statement and a later correction: the last one counts."""
    d, ctx = plain(g)
    mem = Memory()
    k = g.one(["name", "name", "city", thing(g)])
    for fix in [False, True, True][: g.rng.choice([2, 2, 3])]:
        add(d, ctx, *tell(g, mem, k, fix=fix))
        topics(g, d, ctx, g.rng.choice([0, 0, 1, 2]))
        if g.p(0.3):
            add(d, ctx, *ask(g, mem, k))
    add(d, ctx, *ask(g, mem, k))
    return d


def new_words(g, lo, hi):
    """Words to copy: invented and known ones, sometimes capitalized."""
    share = g.one([0.2, 0.5, 1.0])
    words = []
    for _ in range(g.rng.randint(lo, hi)):
        if g.p(0.05):
            words.append(number(g))
            continue
        w = invented(g.rng).lower() if g.p(share) else g.one(SHORT + COLOURS + ANIMALS + FOODS)
        words.append(cap(w) if g.p(0.15) else w)
    return " ".join(words)


def echo(g):
    """Phrases to repeat, to reverse and to spell."""
    d, ctx = plain(g)
    for _ in range(g.rng.randint(1, 5)):
        r = g.rng.random()
        if r < 0.33:
            x = new_words(g, 1, 10)
            add(d, ctx, g.one(REPEAT).format(x=x), R(x))
        elif r < 0.38:
            add(d, ctx, *repeat(g, ctx))
        elif r < 0.72:
            x = new_words(g, 2, 4) if g.p(0.5) else phrase(g, 2, 4)
            add(d, ctx, g.one(REVERSE).format(x=x), R(" ".join(reversed(x.split()))))
        elif r < 0.9:
            add(d, ctx, *spell(g, ctx))
        else:
            add(d, ctx, *count(g, ctx))
    return d


def spelling(g):
    """Letters of known and of invented words, as a basis for upper case."""
    style = g.one(["none", "upper"])
    text, ctx = system_prompt(g, style)
    d = begin(text)
    for _ in range(g.rng.randint(2, 5)):
        w = invented(g.rng)
        if g.p(0.5):
            add(d, ctx, g.say(SPELL, w=w if g.p(0.5) else w.lower()), R("-".join(w.upper())))
        elif style == "upper":
            mem = Memory()
            add(d, ctx, *tell(g, mem, "name"))
            if g.p(0.3):
                add(d, ctx, *ask(g, mem, "name"))
        else:
            add(d, ctx, *spell(g, ctx))
    return d


def quotes(g):
    """The user's first or last message, word for word."""
    d, ctx = plain(g)
    topics(g, d, ctx, g.rng.randint(1, 4))
    if g.p(0.3):
        add(d, ctx, *tell(g, Memory()))
    for _ in range(g.rng.randint(1, 2)):
        users = [t for role, t in d if role == "user"]
        which, v = (ASK_FIRST, users[0]) if g.p(0.5) else (ASK_LAST, users[-1])
        add(d, ctx, g.say(which), R(f"You said: {v}"))
    return d


def styled(g):
    """System prompts that set a style: case, language, role, first and last words."""
    style = g.one(["upper", "upper", "pirate", "one", "fr", "fi", "end", "end", "start", "start"])
    text, ctx = system_prompt(g, style)
    d = begin(text)
    turns = g.rng.randint(1, 4)
    while len(d) < 2 * turns:
        ask = g.one(
            [greet, thanks, bye, capital, arithmetic, order, odd, tell_name, tell_name, topic]
        )
        add(d, ctx, *ask(g, ctx))
    return d


def tell_name(g, ctx):
    return tell(g, Memory(), "name")


def briefed(g):
    """System prompts that state names, words and numbers; the questions ask for them."""
    text, ctx = system_prompt(g, g.one(["name", "name", "kv", "kv", "kv", "user", "mix"]))
    d = begin(text)
    topics(g, d, ctx, g.rng.choice([0, 0, 1, 2]))
    for _ in range(g.rng.randint(1, 3)):
        if ctx.get("me") and g.p(0.6):
            n = ctx["me"]
            add(
                d,
                ctx,
                g.say(ASK_MY_NAME),
                R(f"My name is {n}.", n, f"Je m'appelle {n}.", f"Nimeni on {n}."),
            )
        elif ctx["kv"]:
            add(d, ctx, *ask_kv(g, ctx))
        elif "name" in ctx:
            add(d, ctx, *ask(g, Memory(name=ctx["name"]), "name"))
        else:
            topics(g, d, ctx, 1)
    return d


FIRST_MINUTE = [
    (odd, 36), (decoy, 28), (worded, 50), (chatter, 20),
    (remark, 12), (stoa, 12), (who, 4), (can, 2), (greet, 4), (thanks, 2), (bye, 2),
    (arithmetic, 8), (count, 6), (spell, 14), (repeat, 2), (reverse, 3), (colour, 5), (capital, 3),
    (order, 2), (gravity, 1), (writing, 5),
]


def everyday(g):
    """What people type in their first minute, and hardly any system prompt."""
    d, ctx = plain(g) if g.p(0.5) else ([], {"kv": {}})
    asks, weights = zip(*FIRST_MINUTE)
    mem = Memory()
    for _ in range(g.rng.choice([1, 1, 1, 1, 1, 1, 2, 2, 3, 4])):
        if g.p(0.06):
            add(d, ctx, *tell(g, mem))
        if g.p(0.06):
            add(d, ctx, *ask(g, mem))
        add(d, ctx, *g.rng.choices(asks, weights)[0](g, ctx))
    return d


def text(g):
    """Long answers, whose streaming is visible."""
    d, ctx = plain(g)
    add(d, ctx, *g.rng.choices([writing, long_story, how, can], [8, 1, 1, 1])[0](g, ctx))
    return d


def facts(g):
    """Many short questions."""
    return quiz(g, g.rng.randint(3, 7))


def mixed(g):
    """A conversation about everything, rarely a very long one."""
    return chat(
        g, g.rng.randint(12, 30) if g.p(0.015) else g.rng.choice([1, 2, 3, 4, 4, 5, 6, 7, 8])
    )


LESSONS = {
    f.__name__: f
    for f in [
        recall, ask_back, absent, summary, corrected, echo, spelling, quotes, speakers, styled,
        briefed, everyday, text, facts, mixed,
    ]
}

# How many dialogues of each kind, in proportion.
MIXTURES = {
    "copy": dict(
        recall=14, summary=5, corrected=4, echo=24, spelling=3, quotes=8, speakers=10, styled=6,
        briefed=8, everyday=4, text=1, facts=5, mixed=8,
    ),
    "everyday": dict(
        recall=6, ask_back=14, absent=4, summary=5, corrected=4, echo=14, spelling=6, quotes=8,
        speakers=9, styled=20, briefed=6, everyday=170, text=4, facts=8, mixed=5,
    ),
    "both": dict(
        recall=14, ask_back=10, absent=4, summary=8, corrected=5, echo=30, spelling=10, quotes=16,
        speakers=16, styled=50, briefed=9, everyday=110, text=6, facts=8, mixed=6,
    ),
    "all": dict(
        recall=8, absent=3, summary=12, corrected=4, echo=19, spelling=3, quotes=14, speakers=16,
        styled=36, briefed=9, everyday=13, text=4, facts=13, mixed=6,
    ),
}


def stream(seed, mixture):
    """Endless dialogues of a mixture; none asks a held-out everyday question."""
    g, shares, held = Gen(seed), MIXTURES[mixture], HeldOut()
    names, weights = list(shares), list(shares.values())
    while True:
        d = LESSONS[g.rng.choices(names, weights)[0]](g)
        asked = (text for role, text in d if role == "user")
        if d and d[-1][0] == "assistant" and not any(map(held.like, asked)):
            yield d


if __name__ == "__main__":
    source = stream(3, sys.argv[1])
    for _ in range(25):
        for role, said in next(source):
            print(f"{role:9} | {said}")
        print()
