"""Dialogues: a list of (role, text).

The assistant's answer is computed from the previous turns and from the system prompt, so a
right answer proves that the model got both.
"""

from facts import arithmetic, capital, colour, gravity, order
from memory import (
    ASK_FIRST,
    ASK_LAST,
    Memory,
    ask,
    ask_all,
    ask_two,
    tell,
    tell_two,
)
from paraphrases import R
from smalltalk import bye, can, greet, odd, remark, thanks, who
from stoahelp import how, stoa
from systemprompts import ask_kv, styled, system_prompt
from wordplay import count, repeat, reverse, spell
from writing import long_story, writing

TOPIC = [
    (greet, 4), (who, 5), (bye, 2), (thanks, 3), (remark, 4), (can, 1), (gravity, 7), (capital, 9),
    (order, 7), (colour, 4), (arithmetic, 14), (spell, 4), (count, 2), (repeat, 5), (reverse, 4),
    (stoa, 5), (writing, 6), (odd, 9), (how, 1), (long_story, 1),
]
SHORT_TOPIC = [(f, w) for f, w in TOPIC if f not in (how, long_story, can, writing)]


def topic(g, ctx, short=False):
    """A question about anything, and its answer."""
    fs = SHORT_TOPIC if short else TOPIC
    return g.rng.choices([f for f, _ in fs], [w for _, w in fs])[0](g, ctx)


def add(d, ctx, u, r):
    """Appends a turn; False: the reply does not fit the system prompt."""
    a = styled(ctx, r)
    if a is None:
        return False
    d += [("user", u), ("assistant", a)]
    return True


def begin(text):
    """A dialogue that starts with this system prompt, if there is one."""
    return [("system", text)] if text else []


def topics(g, d, ctx, n):
    """Appends `n` turns about something else."""
    end = len(d) + 2 * n
    while len(d) < end:
        add(d, ctx, *topic(g, ctx, True))


def plain(g):
    """A dialogue with a system prompt without instructions, and that prompt's context."""
    text, ctx = system_prompt(g, "none")
    return begin(text), ctx


def chat(g, turns, style=None, short=False):
    """Facts, small talk, memory and corrections with any system prompt."""
    text, ctx = system_prompt(g, style)
    d, mem = begin(text), Memory()
    if "name" in ctx:
        mem["name"] = ctx["name"]
    bias = g.rng.choice(["memory", "memory", "topic", "mixed"])
    share = {"memory": 0.8, "topic": 0.1, "mixed": 0.45}[bias]
    tries = 0
    while len(d) - bool(text) < 2 * turns and tries < 60:
        tries += 1
        users = [t for role, t in d if role == "user"]
        if (ctx["kv"] and g.p(0.35)) or g.p(0.015):
            add(d, ctx, *ask_kv(g, ctx))
        elif ctx.get("me") and g.p(0.3):
            add(d, ctx, *who(g, ctx))
        elif g.p(share):
            r = g.rng.random()
            if r < 0.40 or (not mem and r < 0.75):
                add(d, ctx, *(tell_two if g.p(0.12) else tell)(g, mem))
            elif r < 0.48 and mem:
                add(d, ctx, *tell(g, mem, g.rng.choice(list(mem)), fix=True))
            elif r < 0.53 and mem and ctx.get("style") is None:
                add(d, ctx, *ask_all(g, mem))
            elif r < 0.59 and users and ctx.get("style") is None:
                which, v = (ASK_FIRST, users[0]) if g.p(0.5) else (ASK_LAST, users[-1])
                if len(v) < 60:
                    add(d, ctx, g.say(which), R(f"You said: {v}", key=[v]))
            elif r < 0.66 and len(mem) > 1 and ctx.get("style") is None:
                add(d, ctx, *ask_two(g, mem))
            else:
                add(d, ctx, *ask(g, mem))
        else:
            add(d, ctx, *topic(g, ctx, short))
    return d


def quiz(g, turns):
    """Many short questions in a row: the cheapest way to memorize facts."""
    text, ctx = system_prompt(g, "none" if g.p(0.7) else g.one(["one", "upper", "pirate"]))
    d, kinds = begin(text), [gravity, capital, order, colour, arithmetic, spell]
    for _ in range(turns):
        add(d, ctx, *g.rng.choices(kinds, [8, 12, 9, 5, 20, 5])[0](g, ctx))
    return d
