"""What evaluate.py asks: held-out paraphrases with fresh slots, skill by skill.

A question is (history, question, wanted answer, keys): the history in front of it is the ideal one.
Skills that are "exact" compare the whole answer, the others look for the keys, which an answer must
contain.
"""
import corpus as c
from corpus import Gen, Memory, R

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
        u, r = c.topic(g, ctx or {"kv": {}}, True)
        a = c.styled(ctx or {}, r)
        if a is not None:
            d += [("user", u), ("assistant", a)]
    return d


def turn(u, r, ctx=None):
    return [("user", u), ("assistant", c.styled(ctx or {}, r))]


def simple(name, *fs, exact=False):
    @skill(name, exact)
    def f(g):
        while True:
            u, r = g.rng.choice(fs)(g, {"kv": {}})
            return history(g, g.rng.randint(0, 2)), u, r.text, r.key


def arithmetic(op):
    def f(g, ctx):
        while True:
            u, r = c.arithmetic(g, ctx)
            if f" {op} " in r.text:
                return u, r
    return f


def person_new(g):
    return c.invented(g.rng)


@skill("name, invented, at once")
def _(g):
    m = Memory()
    u, r = c.tell(g, m, "name")
    m["name"] = v = person_new(g)
    u = g.say(c.TELL_NAME, v=v)
    return turn(u, c.told_name(v)), *question(*c.ask(g, m, "name"))


def question(u, r):
    return u, r.text, r.key


@skill("name, invented, after 3-5 other turns")
def _(g):
    v = person_new(g)
    m = Memory(name=v)
    return turn(g.say(c.TELL_NAME, v=v), c.told_name(v)) + history(g, g.rng.randint(3, 5)), *question(*c.ask(g, m, "name"))


@skill("name, corrected later")
def _(g):
    m = Memory()
    d = turn(*c.tell(g, m, "name")) + history(g, g.rng.randint(0, 2)) + turn(*c.tell(g, m, "name", fix=True)) + history(g, g.rng.randint(0, 2))
    return d, *question(*c.ask(g, m, "name"))


@skill("city, colour, food, ... after 0-4 turns")
def _(g):
    m = Memory()
    d = []
    for _ in range(g.rng.randint(1, 3)):
        d += turn(*c.tell(g, m)) + history(g, g.rng.randint(0, 2))
    return d, *question(*c.ask(g, m, g.rng.choice(list(m))))


@skill("says when it was not told")
def _(g):
    m = Memory()
    d = turn(*c.tell(g, m, "city")) + history(g, g.rng.randint(0, 2))
    return d, *question(*c.ask(g, m, g.rng.choice(["name", "favourite colour", "favourite food", "job"])))


@skill("all that it was told")
def _(g):
    m = Memory()
    d = []
    for k in ["name", "city", c.thing(g)][:g.rng.randint(2, 3)]:
        d += turn(*c.tell(g, m, k))
    return d, *question(*c.ask_all(g, m))


@skill("two things told and asked at once")
def _(g):
    m = Memory()
    return turn(*c.tell_two(g, m)) + history(g, g.rng.randint(0, 2)), *question(*c.ask_two(g, m))


@skill("first or last message of the user")
def _(g):
    d = history(g, g.rng.randint(2, 3))
    users = [t for r, t in d if r == "user"]
    t, v = (c.ASK_FIRST, users[0]) if g.p(0.5) else (c.ASK_LAST, users[-1])
    return d, g.say(t), "You said: " + v, [v]


def speakers(kind):
    def f(g):
        a, b = c.cap(c.person(g)), c.cap(c.person(g))
        ma, k = Memory(), c.thing(g)
        ua, _ = c.tell(g, ma, k)
        ub = g.one(c.LIKE).format(v=g.one(c.FOODS))
        d = [("user", f"{a}: {ua}"), ("assistant", f"Noted, {a}: your {k} is {ma[k]}."), ("user", f"{b}: {ub}"), ("assistant", f"Noted, {b}.")]
        if kind == "who":
            return d, f"{a}: " + g.one(c.WHO_SAID).format(x=ub, y=ub[2:-1]), f"{b} said that.", [f"{b} said that"]
        if kind == "what":
            return d, f"{a}: " + g.say(c.WHAT_SAID, n=b), f"{b} said: {ub}", [ub]
        if kind == "me":
            n = g.one([a, b])
            return d, f"{n}: " + g.say(c.WHO_AM_I), f"You are {n}.", [n]
        return d, f"{b}: " + g.say(c.OTHER, n=a, k=k), f"{a}'s {k} is {ma[k]}.", [ma[k]]
    return f


for kind, label in [("who", "speakers: who said that?"), ("what", "speakers: what did X say?"), ("me", "speakers: who am I?"), ("other", "speakers: X's colour, food, ...")]:
    skill(label)(speakers(kind))


def system(style):
    def f(g):
        text, ctx = c.system_prompt(g, style)
        while True:
            if style == "name":
                u, r = g.say(c.ASK_MY_NAME), R(f"My name is {ctx['me']}.", key=[ctx["me"]])
            elif style == "kv":
                u, r = c.ask_kv(g, ctx)
            else:
                m = Memory()
                u, r = g.rng.choice([c.greet, c.thanks, c.capital, c.arithmetic, c.bye, lambda g, x: c.tell(g, m, "name"), c.order, c.odd])(g, ctx)
            a = c.styled(ctx, r)
            if a is not None:
                break
        h = history(g, g.rng.randint(0, 2), ctx)
        return [("system", text)] + h, u, a, r.key if style in ("name", "kv") else [a]
    return f


for style, label in [("upper", "system: upper case"), ("pirate", "system: pirate"), ("one", "system: one word"), ("fr", "system: French"), ("fi", "system: Finnish"),
                     ("start", "system: first word"), ("end", "system: last word"), ("name", "system: its own name (invented)"), ("kv", "system: the secret word is ...")]:
    skill(label, style not in ("name", "kv"))(system(style))

simple("hello, thanks, goodbye, remarks", c.greet, c.thanks, c.bye, c.remark)
simple("what it is", c.who, c.can)
simple("gravity", c.gravity)
simple("capitals", c.capital)
simple("days, months, planets", c.order)
simple("colours, opposites, sounds", c.colour)
simple("sums to 20", arithmetic("+"), exact=True)
simple("differences to 20", arithmetic("-"), exact=True)
simple("products to 10 x 10", arithmetic("*"), exact=True)
simple("spell a word", c.spell)
simple("count", c.count)
simple("repeat a phrase", c.repeat, exact=True)
simple("reverse a phrase", c.reverse, exact=True)
simple("how to use Stoa", c.stoa, c.how)
simple("haiku, story, list, code", c.writing)
simple("long story", c.long_story)
simple("anything else: an honest no", c.odd)


def questions(name, n, seed):
    """The first `n` questions of a skill."""
    ask, _ = SKILLS[name]
    g = Gen(f"{seed} {name}", "test")
    return [ask(g) for _ in range(n)]


def right(name, answer, wanted, keys):
    """Whether an answer counts."""
    if SKILLS[name][1]:
        return answer.strip() == wanted.strip()
    return all(k.lower() in answer.lower() for k in keys)


GROUPS = {
    "system prompt": [name for name in SKILLS if name.startswith("system: ")],
    "who said what": ["speakers: who said that?", "speakers: what did X say?"],
    "facts": ["gravity", "capitals", "days, months, planets", "colours, opposites, sounds", "sums to 20",
              "differences to 20", "products to 10 x 10"],
}
