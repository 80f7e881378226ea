"""The lessons of a training run: which kinds of dialogues it sees, and how many of each.

  python lessons.py copy      prints a few dialogues of that mixture

Copying is what a model this small learns last and needs most (a name, a phrase, who said what), so
most lessons here are drills in it: many words that nobody has heard, asked for soon and later.
"""
import sys

import corpus as c
from corpus import Gen, Memory, R


def topics(g, d, ctx, n):
    """`n` turns about something else."""
    end = len(d) + 2 * n
    while len(d) < end:
        c.add(d, ctx, *c.topic(g, ctx, True))


def plain(g):
    """A system prompt that asks for nothing, and the dialogue that begins with it."""
    text, ctx = c.system_prompt(g, "none")
    return c.begin(text), ctx


def told(g, k):
    """Something told about `k`; names and cities are mostly invented, so they must be copied."""
    mem = Memory()
    u, r = c.tell(g, mem, k)
    if k == "name" and g.p(0.7):
        mem["name"] = c.invented(g.rng)
        u, r = g.say(c.TELL_NAME, v=mem["name"]), c.told_name(mem["name"])
    return u, r, mem[k]


def recall(g):
    """One to three things told, up to six turns about something else, then questions."""
    d, ctx = plain(g)
    mem = Memory()
    for k in g.rng.sample(["name", "name", "name", "city", c.thing(g), c.thing(g)], g.rng.choice([1, 1, 2, 3])):
        u, r, v = told(g, k)
        if k not in mem:
            mem[k] = v
            c.add(d, ctx, u, r)
            topics(g, d, ctx, g.rng.choice([0, 0, 0, 1, 2]))
    topics(g, d, ctx, g.rng.choice([0, 1, 2, 3, 4, 5, 6]))
    for k in g.rng.sample(list(mem), len(mem)):
        c.add(d, ctx, *c.ask(g, mem, k))
    if g.p(0.5):
        c.add(d, ctx, *c.ask(g, mem, g.rng.choice(["name", "city", c.thing(g)])))
    return d


def summary(g):
    """Several things told, then asked for all at once or in pairs."""
    d, ctx = plain(g)
    mem = Memory()
    if g.p(0.4):
        c.add(d, ctx, *c.tell_two(g, mem))
    for _ in range(g.rng.randint(1, 3)):
        c.add(d, ctx, *c.tell(g, mem, None if g.p(0.6) else "name" if g.p(0.5) else "city"))
        topics(g, d, ctx, g.rng.choice([0, 0, 0, 1]))
    topics(g, d, ctx, g.rng.choice([0, 0, 1, 2]))
    for _ in range(g.rng.randint(1, 2)):
        c.add(d, ctx, *(c.ask_two(g, mem) if len(mem) > 1 and g.p(0.5) else c.ask_all(g, mem)))
    return d


def corrected(g):
    """Something told and put right later: the last word counts."""
    d, ctx = plain(g)
    mem = Memory()
    k = g.one(["name", "name", "city", c.thing(g)])
    for fix in [False, True, True][:g.rng.choice([2, 2, 3])]:
        c.add(d, ctx, *c.tell(g, mem, k, fix=fix))
        topics(g, d, ctx, g.rng.choice([0, 0, 1, 2]))
        if g.p(0.3):
            c.add(d, ctx, *c.ask(g, mem, k))
    c.add(d, ctx, *c.ask(g, mem, k))
    return d


def new_words(g, lo, hi):
    """Words to copy: invented and known ones, sometimes capitalized."""
    share = g.one([0.2, 0.5, 1.0])
    words = []
    for _ in range(g.rng.randint(lo, hi)):
        w = c.invented(g.rng).lower() if g.p(share) else g.one(c.SHORT + c.COLOURS + c.ANIMALS + c.FOODS)
        words.append(c.cap(w) if g.p(0.15) else w)
    return " ".join(words)


def echo(g):
    """Phrases to repeat, to turn around and to spell."""
    d, ctx = plain(g)
    for _ in range(g.rng.randint(1, 5)):
        r = g.rng.random()
        if r < 0.4:
            x = new_words(g, 1, 10)
            c.add(d, ctx, g.one(c.REPEAT).format(x=x), R(x))
        elif r < 0.5:
            c.add(d, ctx, *c.repeat(g, ctx))
        elif r < 0.75:
            x = new_words(g, 2, 4) if g.p(0.5) else c.phrase(g, 2, 4)
            c.add(d, ctx, g.one(c.REVERSE).format(x=x), R(" ".join(reversed(x.split()))))
        elif r < 0.9:
            c.add(d, ctx, *c.spell(g, ctx))
        else:
            c.add(d, ctx, *c.count(g, ctx))
    return d


def spelling(g):
    """Letters of known and of invented words: what upper case is made of."""
    style = g.one(["none", "upper"])
    text, ctx = c.system_prompt(g, style)
    d = c.begin(text)
    for _ in range(g.rng.randint(2, 5)):
        w = c.invented(g.rng)
        if g.p(0.5):
            c.add(d, ctx, g.say(c.SPELL, w=w if g.p(0.5) else w.lower()), R("-".join(w.upper())))
        elif style == "upper":
            mem = Memory()
            c.add(d, ctx, *c.tell(g, mem, "name"))
            if g.p(0.3):
                c.add(d, ctx, *c.ask(g, mem, "name"))
        else:
            c.add(d, ctx, *c.spell(g, ctx))
    return d


def quotes(g):
    """The user's first or last message, word for word."""
    d, ctx = plain(g)
    topics(g, d, ctx, g.rng.randint(1, 4))
    if g.p(0.3):
        c.add(d, ctx, *c.tell(g, Memory()))
    for _ in range(g.rng.randint(1, 2)):
        users = [t for role, t in d if role == "user"]
        which, v = (c.ASK_FIRST, users[0]) if g.p(0.5) else (c.ASK_LAST, users[-1])
        c.add(d, ctx, g.say(which), R(f"You said: {v}"))
    return d


def speakers(g):
    """Two or three people; then, who said what, who am I, and what do you know of whom?"""
    d, ctx = plain(g)
    people = []
    while len(people) < g.rng.choice([2, 2, 2, 3]):
        n = c.cap(c.person(g))
        if n not in people:
            people.append(n)
    mems, said = {n: Memory() for n in people}, {}
    for n in people:
        introduce(g, d, n, mems[n], said)
        if g.p(0.15):
            d_topic(g, d, ctx, g.one(people))
    for _ in range(g.rng.randint(2, 5)):
        n = g.one(people)
        u, r = asked(g, n, g.one(people), mems, said)
        if u is None:
            d_topic(g, d, ctx, n)
        else:
            d += [("user", f"{n}: {u}"), ("assistant", r)]
    return d


def d_topic(g, d, ctx, n):
    u, r = c.topic(g, ctx, True)
    d += [("user", f"{n}: {u}"), ("assistant", r.text)]


def introduce(g, d, n, mem, said):
    """`n` tells something about himself or what he likes."""
    if g.p(0.5):
        k = c.thing(g)
        said[n], _ = c.tell(g, mem, k)
        a = f"Noted, {n}: your {k} is {mem[k]}."
    else:
        said[n] = g.one(c.LIKE).format(v=g.one(c.FOODS + ["the " + x for x in c.ANIMALS]))
        a = f"Noted, {n}."
    d += [("user", f"{n}: {said[n]}"), ("assistant", a)]


def asked(g, n, m, mems, said):
    """A question of `n`, mostly about `m`, and its answer; (None, None): it does not fit."""
    r = g.rng.random()
    if r < 0.3:
        x, t = said[m], g.one(c.WHO_SAID)
        if "{y}" in t and not (x.startswith("I ") and x.endswith(".")):
            return None, None
        return t.format(x=x, y=x[2:-1]), f"{m} said that."
    if r < 0.55:
        return g.say(c.WHAT_SAID, n=m), f"{m} said: {said[m]}"
    if r < 0.75:
        return g.say(c.WHO_AM_I), f"You are {n}."
    for k in mems[m]:
        if m == n:
            return g.say(c.ASK, k=k), mems[m].reply(k).text
        return g.say(c.OTHER, n=m, k=k), f"{m}'s {k} is {mems[m][k]}."
    return None, None


def styled(g):
    """System prompts that ask for a style: case, language, role, first and last words."""
    style = g.one(["upper", "upper", "pirate", "one", "fr", "fi", "end", "end", "start", "start"])
    text, ctx = c.system_prompt(g, style)
    d = c.begin(text)
    turns = g.rng.randint(1, 4)
    while len(d) < 2 * turns:
        ask = g.one([c.greet, c.thanks, c.bye, c.capital, c.arithmetic, c.order, c.odd, tell_name, tell_name, c.topic])
        c.add(d, ctx, *ask(g, ctx))
    return d


def tell_name(g, ctx):
    return c.tell(g, Memory(), "name")


def briefed(g):
    """System prompts that tell names, words and numbers; the questions ask for them."""
    text, ctx = c.system_prompt(g, g.one(["name", "name", "kv", "kv", "kv", "user", "mix"]))
    d = c.begin(text)
    topics(g, d, ctx, g.rng.choice([0, 0, 1, 2]))
    for _ in range(g.rng.randint(1, 3)):
        if ctx.get("me") and g.p(0.6):
            n = ctx["me"]
            c.add(d, ctx, g.say(c.ASK_MY_NAME), R(f"My name is {n}.", n, f"Je m'appelle {n}.", f"Nimeni on {n}."))
        elif ctx["kv"]:
            c.add(d, ctx, *c.ask_kv(g, ctx))
        elif "name" in ctx:
            c.add(d, ctx, *c.ask(g, Memory(name=ctx["name"]), "name"))
        else:
            topics(g, d, ctx, 1)
    return d


def everyday(g):
    """Small talk, help and writing without any system prompt."""
    d, ctx = plain(g)
    for _ in range(g.rng.randint(1, 5)):
        c.add(d, ctx, *g.one([c.stoa, c.stoa, c.stoa, c.odd, c.odd, c.odd, c.who, c.remark, c.remark, c.thanks, c.bye, c.greet])(g, ctx))
    return d


def text(g):
    """Answers that are long enough to be watched."""
    d, ctx = plain(g)
    c.add(d, ctx, *g.rng.choices([c.writing, c.long_story, c.how, c.can], [8, 1, 1, 1])[0](g, ctx))
    return d


def facts(g):
    return c.facts(g, g.rng.randint(3, 7))


LESSONS = dict(recall=recall, summary=summary, corrected=corrected, echo=echo, spelling=spelling, quotes=quotes,
               speakers=speakers, styled=styled, briefed=briefed, everyday=everyday, text=text, facts=facts,
               chat=c.dialogue)

# How many dialogues of each kind, in proportion.
MIXTURES = {
    "copy": dict(recall=14, summary=5, corrected=4, echo=24, spelling=3, quotes=8, speakers=10, styled=6, briefed=8,
                 everyday=4, text=1, facts=5, chat=8),
    "all": dict(recall=13, summary=7, corrected=4, echo=12, spelling=3, quotes=9, speakers=12, styled=14, briefed=10,
                everyday=9, text=2, facts=10, chat=8),
}


def stream(seed, mixture):
    """Endless dialogues of a mixture."""
    g, shares = Gen(seed), MIXTURES[mixture]
    names, weights = list(shares), list(shares.values())
    while True:
        d = LESSONS[g.rng.choices(names, weights)[0]](g)
        if d and d[-1][0] == "assistant":
            yield d


if __name__ == "__main__":
    source = stream(3, sys.argv[1])
    for _ in range(25):
        for role, said in next(source):
            print(f"{role:9} | {said}")
        print()
