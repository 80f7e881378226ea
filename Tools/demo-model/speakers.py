"""Several people in one conversation: each message begins with its author's name."""

from dialogues import plain, topic
from memory import ASK, Memory, tell
from paraphrases import T, cap
from words import ANIMALS, FOODS, person, thing

LIKE = T(
    "I like {v}.", "I love {v}.", "I want {v}.", "I ate {v} today.", "I bought {v}.",
    "I hate {v}.", "I cook {v}.", "I really like {v}.", "I often eat {v}.", "I would like {v}.",
    "I really hate {v}."
)
WHO_SAID = T(
    'Who said "{x}"?', "Who said: {x}", "Who said that they {y}?", "Who told us that they {y}?",
    "Who was it that said {x}", "Which of us said: {x}", "Who has said: {x}",
    "Who was it who said: {x}", "Which of us said that they {y}?", "Tell me who said: {x}",
    "Who wrote: {x}", "Who said that: {x}"
)
WHAT_SAID = T(
    "What did {n} say?", "What did {n} tell us?", "What was {n}'s message?",
    "Repeat what {n} said.", "what has {n} said?", "Do you remember what {n} said?",
    "Say what {n} said.", "What did {n} say before?", "What did {n} write?",
    "Tell me what {n} said.", "{n} said what?", "Which message did {n} write?"
)
OTHER = T(
    "What is {n}'s {k}?", "What's {n}'s {k}?", "Do you know {n}'s {k}?", "Tell me {n}'s {k}.",
    "Do you remember {n}'s {k}?", "Which {k} does {n} have?", "{n}'s {k}?", "Say {n}'s {k}.",
    "What was {n}'s {k}?", "Can you tell me {n}'s {k}?", "Do you still know {n}'s {k}?",
    "Remind us of {n}'s {k}.", "What {k} does {n} have?", "Which {k} is {n}'s?",
    "Which is {n}'s {k}?", "Do you remember {n}'s {k}, please?", "And {n}'s {k}?"
)
WHO_AM_I = T(
    "Who am I?", "What is my name?", "What's my name?", "Do you know who I am?",
    "Do you know my name?", "Who is speaking?", "Who am I here?", "Tell me who I am.",
    "Say my name.", "And who am I?", "Who is it that speaks now?", "Remember my name?",
    "Who speaks now?", "Who is speaking now?", "Who am I, please?", "Do you know who is speaking?",
    "I am who?"
)
WHO_HERE = T(
    "Who is here?", "Who is in this conversation?", "Who has spoken so far?", "Who are we?",
    "Who is talking here?", "Which people are here?"
)


def speakers(g):
    """Two or three people; then: who said what, who am I, and what do you know of whom?"""
    d, ctx = plain(g)
    people = []
    while len(people) < g.rng.choice([2, 2, 2, 3]):
        n = cap(person(g))
        if n not in people:
            people.append(n)
    mems, said = {n: Memory() for n in people}, {}
    for n in people:
        introduce(g, d, n, mems[n], said)
        if g.p(0.15):
            aside(g, d, ctx, g.one(people))
    for _ in range(g.rng.randint(2, 5)):
        n = g.one(people)
        u, a = asked(g, n, g.one(people), mems, said)
        if u is None:
            aside(g, d, ctx, n)
        else:
            d += [("user", f"{n}: {u}"), ("assistant", a)]
    return d


def aside(g, d, ctx, n):
    """A turn of `n` about something else."""
    u, r = topic(g, ctx, True)
    d += [("user", f"{n}: {u}"), ("assistant", r.text)]


def introduce(g, d, n, mem, said):
    """`n` states something about himself or what he likes."""
    if g.p(0.5):
        k = thing(g)
        said[n], _ = tell(g, mem, k)
        a = f"Noted, {n}: your {k} is {mem[k]}."
    else:
        said[n] = g.one(LIKE).format(v=g.one(FOODS + ["the " + x for x in ANIMALS]))
        a = f"Noted, {n}."
    d += [("user", f"{n}: {said[n]}"), ("assistant", a)]


def asked(g, n, m, mems, said):
    """A question of `n`, mostly about `m`, and its answer; (None, None): it does not fit."""
    r = g.rng.random()
    if r < 0.27:
        x, t = said[m], g.one(WHO_SAID)
        if "{y}" in t and not (x.startswith("I ") and x.endswith(".")):
            return None, None
        return t.format(x=x, y=x[2:-1]), f"{m} said that."
    if r < 0.5:
        return g.say(WHAT_SAID, n=m), f"{m} said: {said[m]}"
    if r < 0.7:
        return g.say(WHO_AM_I), f"You are {n}."
    if r < 0.75:
        return g.say(WHO_HERE), "Here are " + " and ".join(said) + "."
    for k in mems[m]:
        if m == n:
            return g.say(ASK, k=k), mems[m].reply(k).text
        return g.say(OTHER, n=m, k=k), f"{m}'s {k} is {mems[m][k]}."
    return None, None
