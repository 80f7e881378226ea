"""The questions of evaluate.py: held-out paraphrases with new slots, by skill.

A question is (history, question, expected answer, keys): the history before it is the ideal one.
Skills that are "exact" compare the whole answer, the others look for the keys, which an answer must
contain.
"""

from dialogues import topic
from facts import arithmetic, capital, colour, gravity, order
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
from speakers import LIKE, OTHER, WHAT_SAID, WHO_AM_I, WHO_SAID
from stoahelp import how, stoa
from systemprompts import ask_kv, styled, system_prompt
from wordplay import count, repeat, reverse, spell
from words import FOODS, invented, person, thing
from writing import long_story, writing

SKILLS = {}


def skill(name, exact=False):
    def put(f):
        SKILLS[name] = (f, exact)
        return f

    return put


def history(g, n, ctx=None, avoid=()):
    """n unrelated turns."""
    d = []
    while len(d) < 2 * n:
        u, r = topic(g, ctx or {"kv": {}}, True)
        a = styled(ctx or {}, r)
        if a is not None:
            d += [("user", u), ("assistant", a)]
    return d


def turn(u, r, ctx=None):
    return [("user", u), ("assistant", styled(ctx or {}, r))]


def simple(name, *fs, exact=False):
    @skill(name, exact)
    def f(g):
        while True:
            u, r = g.rng.choice(fs)(g, {"kv": {}})
            return history(g, g.rng.randint(0, 2)), u, r.text, r.key


def operation(op):
    def f(g, ctx):
        while True:
            u, r = arithmetic(g, ctx)
            if f" {op} " in r.text:
                return u, r

    return f


def person_new(g):
    return invented(g.rng)


@skill("name, invented, at once")
def _(g):
    m = Memory()
    u, r = tell(g, m, "name")
    m["name"] = v = person_new(g)
    u = g.say(TELL_NAME, v=v)
    return turn(u, told_name(v)), *question(*ask(g, m, "name"))


def question(u, r):
    return u, r.text, r.key


@skill("name, invented, after 3-5 other turns")
def _(g):
    v = person_new(g)
    m = Memory(name=v)
    return turn(g.say(TELL_NAME, v=v), told_name(v)) + history(g, g.rng.randint(3, 5)), *question(
        *ask(g, m, "name")
    )


@skill("name, corrected later")
def _(g):
    m = Memory()
    d = (
        turn(*tell(g, m, "name"))
        + history(g, g.rng.randint(0, 2))
        + turn(*tell(g, m, "name", fix=True))
        + history(g, g.rng.randint(0, 2))
    )
    return d, *question(*ask(g, m, "name"))


@skill("city, colour, food, ... after 0-4 turns")
def _(g):
    m = Memory()
    d = []
    for _ in range(g.rng.randint(1, 3)):
        d += turn(*tell(g, m)) + history(g, g.rng.randint(0, 2))
    return d, *question(*ask(g, m, g.rng.choice(list(m))))


@skill("says when it was not told")
def _(g):
    m = Memory()
    d = turn(*tell(g, m, "city")) + history(g, g.rng.randint(0, 2))
    return d, *question(
        *ask(g, m, g.rng.choice(["name", "favourite colour", "favourite food", "job"]))
    )


@skill("all that it was told")
def _(g):
    m = Memory()
    d = []
    for k in ["name", "city", thing(g)][: g.rng.randint(2, 3)]:
        d += turn(*tell(g, m, k))
    return d, *question(*ask_all(g, m))


@skill("two things told and asked at once")
def _(g):
    m = Memory()
    return turn(*tell_two(g, m)) + history(g, g.rng.randint(0, 2)), *question(*ask_two(g, m))


@skill("first or last message of the user")
def _(g):
    d = history(g, g.rng.randint(2, 3))
    users = [t for r, t in d if r == "user"]
    t, v = (ASK_FIRST, users[0]) if g.p(0.5) else (ASK_LAST, users[-1])
    return d, g.say(t), "You said: " + v, [v]


def speakers(kind):
    def f(g):
        a, b = cap(person(g)), cap(person(g))
        ma, k = Memory(), thing(g)
        ua, _ = tell(g, ma, k)
        ub = g.one(LIKE).format(v=g.one(FOODS))
        d = [
            ("user", f"{a}: {ua}"),
            ("assistant", f"Noted, {a}: your {k} is {ma[k]}."),
            ("user", f"{b}: {ub}"),
            ("assistant", f"Noted, {b}."),
        ]
        if kind == "who":
            return (
                d,
                f"{a}: " + g.one(WHO_SAID).format(x=ub, y=ub[2:-1]),
                f"{b} said that.",
                [f"{b} said that"],
            )
        if kind == "what":
            return d, f"{a}: " + g.say(WHAT_SAID, n=b), f"{b} said: {ub}", [ub]
        if kind == "me":
            n = g.one([a, b])
            return d, f"{n}: " + g.say(WHO_AM_I), f"You are {n}.", [n]
        return d, f"{b}: " + g.say(OTHER, n=a, k=k), f"{a}'s {k} is {ma[k]}.", [ma[k]]

    return f


for kind, label in [
    ("who", "speakers: who said that?"),
    ("what", "speakers: what did X say?"),
    ("me", "speakers: who am I?"),
    ("other", "speakers: X's colour, food, ..."),
]:
    skill(label)(speakers(kind))


def system(style):
    def f(g):
        text, ctx = system_prompt(g, style)
        while True:
            if style == "name":
                u, r = g.say(ASK_MY_NAME), R(f"My name is {ctx['me']}.", key=[ctx["me"]])
            elif style == "kv":
                u, r = ask_kv(g, ctx)
            else:
                m = Memory()
                u, r = g.rng.choice(
                    [
                        greet,
                        thanks,
                        capital,
                        arithmetic,
                        bye,
                        lambda g, x: tell(g, m, "name"),
                        order,
                        odd,
                    ]
                )(g, ctx)
            a = styled(ctx, r)
            if a is not None:
                break
        h = history(g, g.rng.randint(0, 2), ctx)
        return [("system", text)] + h, u, a, r.key if style in ("name", "kv") else [a]

    return f


for style, label in [
    ("upper", "system: upper case"),
    ("pirate", "system: pirate"),
    ("one", "system: one word"),
    ("fr", "system: French"),
    ("fi", "system: Finnish"),
    ("start", "system: first word"),
    ("end", "system: last word"),
    ("name", "system: its own name (invented)"),
    ("kv", "system: the secret word is ..."),
]:
    skill(label, style not in ("name", "kv"))(system(style))

simple("hello, thanks, goodbye, remarks", greet, thanks, bye, remark)
simple("what it is", who, can)
simple("gravity", gravity)
simple("capitals", capital)
simple("days, months, planets", order)
simple("colours, opposites, sounds", colour)
simple("sums to 20", operation("+"), exact=True)
simple("differences to 20", operation("-"), exact=True)
simple("products to 10 x 10", operation("*"), exact=True)
simple("spell a word", spell)
simple("count", count)
simple("repeat a phrase", repeat, exact=True)
simple("reverse a phrase", reverse, exact=True)
simple("how to use Stoa", stoa, how)
simple("haiku, story, list, code", writing)
simple("long story", long_story)
simple("anything else: an honest no", odd)


def questions(name, n, seed):
    """The first `n` questions of a skill."""
    ask, _ = SKILLS[name]
    g = Gen(f"{seed} {name}", "test")
    return [ask(g) for _ in range(n)]


def right(name, answer, wanted, keys):
    """Whether an answer counts."""
    if SKILLS[name][1]:
        return answer.strip() == wanted.strip()
    return all(holds(answer.lower(), k) for k in keys)


def holds(answer, key):
    """Whether the answer contains the key, or one of several."""
    keys = key if isinstance(key, tuple) else (key,)
    return any(k.lower() in answer for k in keys)


GROUPS = {
    "system prompt": [name for name in SKILLS if name.startswith("system: ")],
    "who said what": ["speakers: who said that?", "speakers: what did X say?"],
    "facts": [
        "gravity",
        "capitals",
        "days, months, planets",
        "colours, opposites, sounds",
        "sums to 20",
        "differences to 20",
        "products to 10 x 10",
    ],
}
