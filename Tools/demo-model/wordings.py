"""General ways to ask, around what the model can do and around what it cannot.

The wording around a request tells nothing about it; only what is asked for decides between an
answer and a no.
"""

from beyond import FACT, HARD, SUMS, careless, fill
from facts import (
    CAPITALS,
    DAYS,
    GRAVITY,
    IS_COLOUR,
    LENGTH,
    MIX,
    MONTHS,
    NTH,
    NUMBERS,
    OPPOSITE,
    PLANETS,
    SOUNDS,
)
from paraphrases import R, cap
from stoahelp import STOA
from wordplay import KNOWN, SHORT, in_words, phrase
from words import invented
from writing import (
    FUN,
    JOKES,
    LISTS,
    POEMS,
    SHOPPING,
    amount,
    haiku,
    hero,
    limerick,
    listing,
    story_about,
)

ASK_THING = [
    "What is {x}?", "what would {x} be", "{x}?", "{x}", "{x} please", "Do you know {x}?",
    "do u know what {x} is", "Can you tell me {x}?", "could you say what {x} is?", "Tell me {x}.",
    "I want to know {x}.", "i need to know {x}", "I need {x}", "Give me {x}",
    "any idea what {x} is?", "What do you think {x} is?", "remind me, what is {x}",
    "Please name {x}.", "I forgot {x}.", "{x} is what?", "{x} is ...?", "So what is {x}, then?",
    "my kid asks for {x}", "Say {x}", "Would you tell me {x}?", "help me with {x}",
    "what exactly is {x}", "Let me know {x}.", "I wonder what {x} is.",
    "Is it true that you know {x}?", "then {x}?", "and {x}?", "Next one: {x}",
    "one question: {x}", "For my homework: {x}", "can you find {x} for me",
    "I cannot remember {x}", "Who knows {x}?", "show me {x}", "What might {x} be?",
    "answer me: {x}"
]
ASK_DEED = [
    "{x}", "{x} please", "Please {x}.", "Can you {x}?", "could u {x} for me", "Could you {x}?",
    "I want you to {x}.", "I would like you to {x}", "Would you {x}?", "You should {x}.",
    "would you please {x}", "now {x}", "{x} now", "ok, {x}", "Let us {x}.", "{x} for me",
    "I need you to {x}", "My boss wants you to {x}.", "try to {x}", "Are you able to {x}?",
    "it would be nice if you {x}", "{x}, if you can", "Can you please {x}?", "time to {x}",
    "Do me a favour and {x}.", "{x} quickly", "Show me how you {x}.", "just {x}", "go on, {x}",
    "Let me see you {x}.", "for a test: {x}", "You can {x}, right?", "{x} and nothing else"
]
ANSWERS = {key: answer for _, answer, (key, *_) in STOA}
ATTRIBUTES = """population size age price weight length height name meaning history capital
president king mayor owner inventor author colour shape taste smell speed
temperature weather future purpose cause result origin flag language religion
currency law rule symbol definition formula number cost value address best_part
worst_part reason end beginning inside surface area depth distance""".split()
KINDS_OF_THINGS = ["place", "person", "thing", "object", "topic", "food", "event", "title", "brand"]


def capital(g):
    c = g.one(list(CAPITALS))
    x = g.one(
        [
            "the capital of {}", "{}'s capital", "the capital city of {}", "capital of {}",
            "the main city and capital of {}", "{} capital",
            "the capital, so the seat of government, of {}"
        ]
    )
    v = CAPITALS[c].replace("_", " ")
    return x.format(c.lower() if g.p(0.25) else c), R(f"The capital of {c} is {v}.")


def country(g):
    c = g.one(list(CAPITALS))
    v = CAPITALS[c].replace("_", " ")
    x = g.one(
        [
            "the country whose capital is {}", "the land that has {} as its capital",
            "the country with the capital {}", "the state of which {} is the capital"
        ]
    )
    return x.format(v), R(f"{v} is the capital of {c}.")


def gravity(g):
    p = g.one(list(GRAVITY))
    x = g.one(
        [
            "the gravity on {}", "gravity on {}", "{} gravity", "the force of gravity on {}",
            "the strength of gravity on {}", "the surface gravity of {}", "{}'s gravity",
            "the gravity there is on {}", "the gravity of {} in m/s²"
        ]
    )
    return x.format(p.lower() if g.p(0.2) else p), R(f"The gravity on {p} is {GRAVITY[p]} m/s².")


def order(g):
    u, all_ = g.one([("day", DAYS), ("month", MONTHS), ("planet", PLANETS)])
    i = g.rng.randrange(1, len(all_) - 1)
    a = all_[i].lower() if g.p(0.3) else all_[i]
    r = g.rng.random()
    if r < 0.35:
        x = g.one(
            [
                "the {u} after {a}", "the {u} that comes after {a}", "the next {u} after {a}",
                "the {u} following {a}", "what comes right after {a}", "the {u} behind {a}"
            ]
        )
        return x.format(u=u, a=a), R(f"After {all_[i]} comes {all_[i + 1]}.")
    if r < 0.65:
        x = g.one(
            [
                "the {u} before {a}", "the {u} that comes before {a}", "the last {u} before {a}",
                "the {u} just before {a}", "what comes right before {a}", "the {u} ahead of {a}"
            ]
        )
        return x.format(u=u, a=a), R(f"Before {all_[i]} comes {all_[i - 1]}.")
    if r < 0.85 or u != "month":
        x = g.one(
            ["the {n} {u}", "{u} number {i}", "the {u} with number {i}", "the {n} of the {u}s"]
        )
        return x.format(n=NTH[i], u=u, i=i + 1), R(f"The {NTH[i]} {u} is {all_[i]}.")
    x = g.one(
        [
            "the number of days in {a}", "the length of {a}", "the days of {a}, how many",
            "how many days {a} has"
        ]
    )
    return x.format(a=a), R(f"{all_[i]} has {LENGTH[all_[i]]} days.")


def look(g):
    r = g.rng.random()
    if r < 0.3:
        n = g.one(list(IS_COLOUR))
        x = g.one(
            [
                "the colour of {}", "the color of {}", "{}'s colour", "which colour {} has",
                "the colour that {} has"
            ]
        )
        n, v = n.replace("_", " "), IS_COLOUR[n]
        return x.format(n), R(f"{cap(n)} is {v}.")
    if r < 0.7:
        a = g.one(list(OPPOSITE))
        x = g.one(
            [
                "the opposite of {}", "opposite of {}", "an antonym of {}", "the contrary of {}",
                "the word that means the opposite of {}", "the opposite to {}"
            ]
        )
        return x.format(a), R(f"The opposite of {a} is {OPPOSITE[a]}.")
    if r < 0.85:
        a, b = g.one(list(MIX))
        m = MIX[a, b]
        if g.p(0.5):
            a, b = b, a
        x = g.one(
            [
                "the mix of {a} and {b}", "{a} mixed with {b}", "the colour of {a} plus {b}",
                "what {a} and {b} make", "the colour that {a} and {b} give"
            ]
        )
        return x.format(a=a, b=b), R(f"{cap(a)} and {b} make {m}.")
    a = g.one(list(SOUNDS))
    x = g.one(["the sound of a {}", "the sound a {} makes", "the noise of a {}", "what a {} says"])
    return x.format(a), R(f"A {a} says {SOUNDS[a]}.")


SIGNS = {
    "+": [
        "{a} + {b}", "{a}+{b}", "{a} plus {b}", "the sum of {a} and {b}", "{a} and {b} added",
        "{a} and {b} together", "{b} more than {a}", "the total of {a} and {b}"
    ],
    "-": [
        "{a} - {b}", "{a}-{b}", "{a} minus {b}", "{a} less {b}", "{b} less than {a}",
        "{a} without {b}", "the difference of {a} and {b}", "{a} take away {b}"
    ],
    "*": [
        "{a} * {b}", "{a}*{b}", "{a} times {b}", "{a} x {b}", "{a}x{b}",
        "the product of {a} and {b}", "{a} multiplied by {b}", "{a} by {b}"
    ],
}


def total(g):
    op = g.one("++-*")
    if op == "*":
        a, b = g.rng.randint(1, 10), g.rng.randint(1, 10)
        c = a * b
    else:
        c = g.rng.randint(0, 20)
        a = g.rng.randint(0, c)
        b = c - a
        if op == "-":
            a, c = c, a
            b = a - c
    said = (NUMBERS[a], NUMBERS[b]) if g.p(0.25) else (a, b)
    return g.one(SIGNS[op]).format(a=said[0], b=said[1]), R(f"{a} {op} {b} = {c}")


def attribute(g):
    """Something of something that nobody taught."""
    r = g.rng.random()
    if r < 0.2:
        return fill(g, "the capital of {nocapital}"), FACT
    if r < 0.3:
        return fill(g, "the gravity on {nogravity}"), FACT
    if r < 0.42:
        return fill(g, "the opposite of {noopposite}"), FACT
    if r < 0.5:
        return fill(g, g.one(["the colour of {nocolour}", "the sound of a {nosound}"])), FACT
    if r < 0.7:
        a, b = g.rng.randint(21, 400), g.rng.randint(2, 90)
        op = g.one("+-*")
        return g.one(SIGNS[op]).format(a=a, b=b), SUMS
    what = g.one(ATTRIBUTES).replace("_", " ")
    return f"the {what} of " + fill(g, "{" + g.one(KINDS_OF_THINGS) + "}"), HARD


def count_to(g):
    n = g.rng.randint(1, 30) if g.p(0.6) else g.rng.randint(1, 12)
    x = g.one(
        [
            "count to {}", "count up to {}", "count from 1 to {}", "count from one to {}",
            "count until {}", "count till {}", "say the numbers to {}", "count as far as {}"
        ]
    )
    s = ", ".join(str(i) for i in range(1, n + 1))
    return x.format(n if g.p(0.5) else in_words(n)), R(s)


def letters(g):
    w = g.one(SHORT) if g.p(0.3) else g.one(KNOWN) if g.p(0.6) else invented(g.rng)
    x = g.one(
        [
            "spell {}", "spell the word {}", "spell out {}", "spell {} letter by letter",
            "say the letters of {}", "write {} letter by letter", "tell me how {} is spelled"
        ]
    )
    return x.format(w), R("-".join(w.upper()))


def again(g):
    x = phrase(g, 1, 6)
    form = g.one(
        [
            "repeat {}", "repeat: {}", "say {}", "say: {}", "echo {}", "repeat the words {}",
            "say after me: {}", "repeat this: {}", "copy {}", "write {}", "say the words {}"
        ]
    )
    return form.format(x), R(x)


def around(g):
    x = phrase(g, 2, 4)
    form = g.one(
        [
            "reverse {}", "reverse: {}", "say backwards: {}", "turn around: {}",
            "reverse the words {}", "reverse the order of {}", "put in reverse order: {}",
            "say these words backwards: {}", "write this backwards: {}"
        ]
    )
    return form.format(x), R(" ".join(reversed(x.split())))


def beyond_deed(g):
    x = fill(g, g.one(DEEDS))
    return x, HARD


DEEDS = [
    "write an essay about {topic}", "write a poem about {thing}", "write to my {relative}",
    "write a letter to {friend}", "write a song about {topic}",
    "write a {lang} program to {codeact}", "translate {word} into {tongue}", "summarize {title}",
    "explain {topic}", "explain {topic} to me", "compare {place} and {place}", "describe {place}",
    "describe a {object}", "draw a {animal}", "plan a trip to {place}", "plan my {event}",
    "recommend a {object}", "suggest a film", "find a {job}", "find me {food}", "buy a {object}",
    "order {food}", "book a {object}", "call {friend}", "play {title}", "open {tech}",
    "start the {object}", "teach me {tongue}", "help me {act}", "tell me about {person}",
    "tell me about {topic}", "correct {sentence}", "correct this: {sentence}",
    "check this: {sentence}", "shorten this: {sentence}", "improve my {object}", "fix {tech}",
    "fix my {object}", "fix {error}", "debug {snippet}", "explain {snippet}", "install {tech}",
    "count the {plural}", "count to {huge}", "count the letters in {word}",
    "find a rhyme for {word}", "find a synonym of {word}", "give me the plural of {word}",
    "give me {n} ideas for {event}", "give me a quote by {person}", "make a plan for {topic}",
    "make a table of {plural}", "cook {food}", "give me a recipe for {food}",
    "pretend to be {person}", "act as a {job}", "remember the {object} for {when}",
    "wake me {when}", "look up {topic}", "search for {topic}", "show me {place}",
    "solve {n}x = {huge}", "divide {huge} by {n}", "convert {n} miles", "guess my weight",
    "predict {event}", "rate my {object}", "sell my {object}", "write a review of {title}",
    "invent a {object}", "name ten {plural}", "name a {job}", "list the {plural} of {place}",
    "rank {brand} and {brand}"
]


def text(g):
    """A request for one of the texts, and the text."""
    make = g.one(["write", "compose", "make up", "write me", "give me", "invent", "come up with"])
    tell = g.one(["tell", "tell me", "give me", "think of", "find me", "tell us"])
    r = g.rng.random()
    if r < 0.15:
        return f"{make} a {g.one(['', 'nice ', 'new ', 'little '])}haiku", haiku(g)
    if r < 0.25:
        return f"{make} a {g.one(['', 'funny ', 'good ', 'silly '])}limerick", limerick(g)
    if r < 0.5:
        x = hero(g)
        kind = g.one(
            ["story", "short story", "tale", "little story", "bedtime story", "tiny story"]
        )
        return f"{g.one([make, tell])} a {kind} about {x}", R(story_about(g, x))
    if r < 0.65:
        return f"{tell} {g.one(['a', 'a good', 'a silly', 'one more'])} joke", R(g.one(JOKES))
    if r < 0.72:
        return f"{tell} {g.one(['a fun fact', 'something interesting', 'an odd fact'])}", R(
            g.one(FUN)
        )
    if r < 0.77:
        return f"{make} a {g.one(['', 'short ', 'small '])}poem", R(g.one(POEMS))
    if r < 0.85:
        return f"{make} a shopping list{g.one(['', ' for me', ' for us'])}", SHOPPING
    n, x = g.rng.randint(2, 5), g.one(list(LISTS))
    verb = g.one(["name", "list", "name me", "write down", "tell me", "say", "give me", "show me"])
    return f"{verb} {amount(g, n)} {x}", listing(n, x)


ASK_HOW = [
    "How do I {x}?", "How can I {x}?", "Where can I {x}?", "Is there a way to {x}?", "{x}, how?",
    "I want to {x}", "Can I {x} here?", "What do I do to {x}?", "Show me how to {x}.",
    "I would like to {x}, how?", "Which button do I press to {x}?", "how to {x}", "i need to {x}",
    "Explain how to {x}.", "what is the way to {x}?", "I do not know how to {x}.", "help me {x}",
    "Is it possible to {x}?", "How could we {x}?", "Where do I {x}?", "am i able to {x}?",
    "I am trying to {x}", "Please help me {x}.", "What must I click to {x}?", "may I {x}?"
]
STOA_DEEDS = {
    "Export": [
        "export this chat", "save this conversation as a file", "download my messages",
        "export the conversation", "get this chat as a file", "keep a copy of this chat"
    ],
    "Invite": [
        "invite a colleague", "add somebody to this chat", "invite {friend} to this chat",
        "bring {friend} into this conversation", "share this conversation", "invite my team"
    ],
    "Stop": [
        "stop this answer", "stop you", "make you stop", "cancel an answer",
        "interrupt your answer", "end a long answer"
    ],
    "system prompt": [
        "change the system prompt", "set a system prompt", "see the system prompt",
        "give you other instructions", "edit your instructions"
    ],
    "*Delete*": [
        "delete this conversation", "erase this chat", "remove this chat",
        "get rid of this conversation", "delete my chat"
    ],
    "stoa user add": [
        "add a user", "create an account", "make an account for {friend}",
        "add a new person to the server", "register a colleague"
    ],
    "stoa model list": [
        "list the models", "see the installed models", "remove a model",
        "find out which models there are", "show all models"
    ],
    "stoa chat": [
        "chat in the terminal", "use a command line", "chat without a browser",
        "use Stoa in a shell"
    ],
}


def stoa_deed(g):
    """Something to do in Stoa, and how."""
    key = g.one([k for k in STOA_DEEDS if k in ANSWERS])
    return fill(g, g.one(STOA_DEEDS[key])), R(ANSWERS[key])


def act(g):
    return fill(g, "{act}"), HARD


THINGS = [
    (capital, 6),
    (country, 1),
    (gravity, 3),
    (order, 5),
    (look, 6),
    (total, 10),
    (attribute, 26),
]
DEED = [(count_to, 6), (letters, 7), (again, 5), (around, 5), (text, 9), (beyond_deed, 28)]
HOW_TO = [(stoa_deed, 5), (act, 4)]


def worded(g, ctx):
    """A request in a general wording, and its answer or no."""
    some, ways = g.rng.choices(
        [(THINGS, ASK_THING), (DEED, ASK_DEED), (HOW_TO, ASK_HOW)], [9, 8, 2]
    )[0]
    asks, weights = zip(*some)
    x, r = g.rng.choices(asks, weights)[0](g)
    u = g.one(ways).replace("{x}", x)
    if some is DEED:  # without typos: what is to be repeated or spelt comes as it is
        return (u[0].lower() if g.p(0.3) else u[0]) + u[1:], r
    return careless(g, u), r
