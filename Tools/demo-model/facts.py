"""Facts to memorize: gravity, capitals, days, months, planets, colours, small sums."""

from paraphrases import R, T, cap


def pairs(text):
    """The dictionary that "key:value key:value" stands for."""
    return dict(x.split(":") for x in text.split())


GRAVITY = {
    "Mercury": "3.7",
    "Venus": "8.87",
    "Earth": "9.81",
    "Mars": "3.71",
    "Jupiter": "24.79",
    "Saturn": "10.44",
    "Uranus": "8.69",
    "Neptune": "11.15",
    "the Moon": "1.62",
}
PLANETS = list(GRAVITY)[:8]
ASK_GRAVITY = T(
    "What is the gravity on {p}?", "How strong is gravity on {p}?", "Gravity on {p}?",
    "What's the gravity of {p}?", "Tell me the gravity on {p}.", "How big is the gravity on {p}?",
    "gravity {p}", "What is the surface gravity of {p}?", "How much gravity does {p} have?",
    "Do you know the gravity on {p}?", "Give me the gravity on {p}.",
    "What gravity does {p} have?", "How strong is the gravity of {p}?",
    "Tell me about gravity on {p}.", "What is gravity like on {p}?", "the gravity on {p}?",
    "How large is gravity on {p}?", "Which gravity does {p} have?", "What is {p}'s gravity?",
    "I want to know the gravity on {p}.", "Say the gravity of {p}.",
    "How high is the gravity on {p}?", "gravity on {p}", "What's the gravity on {p}?"
)
ASK_GRAVITY2 = T(
    "What is the gravity on {p} and {q}?", "What is the gravity on {p} and {q}?",
    "Gravity on {p} and on {q}?", "What's the gravity on {p} and {q}?",
    "How strong is gravity on {p} and {q}?", "Tell me the gravity of {p} and of {q}.",
    "Compare the gravity on {p} and {q}.", "gravity of {p} and {q}",
    "What are the gravities of {p} and {q}?", "How strong is gravity on {p} and on {q}?",
    "How much gravity do {p} and {q} have?", "gravity {p} and {q}",
    "Tell me the gravity on {p} and {q}.", "Give me the gravity on {p} and on {q}.",
    "What gravity do {p} and {q} have?", "What is the gravity of {p} and of {q}?",
    "Say the gravity on {p} and {q}.", "the gravity of {p} and {q}?"
)
CAPITALS = pairs("""France:Paris Germany:Berlin Italy:Rome Spain:Madrid Portugal:Lisbon
Finland:Helsinki Sweden:Stockholm Norway:Oslo Denmark:Copenhagen Iceland:Reykjavik Ireland:Dublin
Austria:Vienna Switzerland:Bern Belgium:Brussels Poland:Warsaw Hungary:Budapest
Greece:Athens Turkey:Ankara Russia:Moscow Ukraine:Kyiv Estonia:Tallinn Latvia:Riga
Lithuania:Vilnius Japan:Tokyo China:Beijing India:New_Delhi Egypt:Cairo
Kenya:Nairobi Morocco:Rabat Ghana:Accra Canada:Ottawa Mexico:Mexico_City Cuba:Havana
Peru:Lima Chile:Santiago Brazil:Brasilia Australia:Canberra Thailand:Bangkok
Vietnam:Hanoi Iran:Tehran Croatia:Zagreb Romania:Bucharest""")
ASK_CAPITAL = T(
    "What is the capital of {c}?", "What's the capital of {c}?", "capital of {c}?",
    "Which city is the capital of {c}?", "Tell me the capital of {c}.", "Name the capital of {c}.",
    "What is {c}'s capital?", "Do you know the capital of {c}?", "The capital of {c} is?",
    "Which is the capital city of {c}?", "whats the capital of {c}",
    "Can you name the capital of {c}?", "{c} capital", "{c}: the capital?", "capital {c}",
    "What is the capital city of {c}?", "{c} has which capital?", "I need the capital of {c}.",
    "Which capital does {c} have?", "What is the capitol of {c}?", "capital city of {c}",
    "Which city is {c}'s capital city?", "{c}'s capital?"
)
ASK_COUNTRY = T(
    "Which country has the capital {v}?", "{v} is the capital of which country?",
    "Of which country is {v} the capital?", "Which country is {v} the capital of?",
    "In which country is {v}?", "{v} is the capital of what?", "The capital of what is {v}?",
    "{v} is the capital of which land?", "Which country's capital is {v}?",
    "What country has the capital {v}?", "{v}: capital of what?",
    "{v} is the capital city of which state?", "Whose capital is {v}?", "In what country is {v}?",
    "{v} is whose capital?", "Which country is {v} in?"
)
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = """January February March April May June July August September October November
December""".split()
LENGTH = dict(zip(MONTHS, "31 28 31 30 31 30 31 31 30 31 30 31".split()))
ASK_LENGTH = T(
    "How many days does {m} have?", "How many days are in {m}?", "How long is {m}?",
    "How many days are there in {m}?", "days in {m}?", "{m} has how many days?",
    "What is the number of days in {m}?", "Of how many days is {m}?"
)
NTH = (
    """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth""".split()
)
AFTER = T(
    "What {u} comes after {a}?", "Which {u} comes after {a}?", "What comes after {a}?",
    "Which {u} is after {a}?", "{a} is followed by which {u}?", "Which {u} follows {a}?",
    "What is the {u} after {a}?", "Name the {u} after {a}.", "After {a}, what {u} comes?",
    "What {u} follows {a}?", "Which {u} comes right after {a}?", "{a} comes before which {u}?",
    "Tell me the {u} after {a}.", "What is the next {u} after {a}?",
    "{a} comes right before which {u}?", "{a} is before which {u}?", "Before which {u} comes {a}?"
)
BEFORE = T(
    "What {u} comes before {a}?", "Which {u} comes before {a}?", "What comes before {a}?",
    "Which {u} is before {a}?", "What is the {u} before {a}?",
    "Name the {u} that comes before {a}.", "Which {u} comes right before {a}?",
    "{a} comes after which {u}?", "Tell me the {u} before {a}.", "What {u} is before {a}?",
    "What was the {u} before {a}?", "Name the {u} before {a}.", "Say which {u} comes before {a}.",
    "What {u} precedes {a}?"
)
NTH_ASK = T(
    "What is the {n} {u}?", "Which {u} is the {n}?", "Name the {n} {u}.", "What's the {n} {u}?",
    "Tell me the {n} {u}.", "Which is the {n} {u}?", "Which {u} comes {n}?", "Say the {n} {u}.",
    "What {u} is the {n}?", "Give me the {n} {u}.", "the {n} {u}?", "Do you know the {n} {u}?"
)
LIST_ASK = T(
    "List the {us} in order.", "Name all {us}.", "What are the {us}?", "List all the {us}.",
    "Tell me the {us} in order.", "Which {us} are there?", "Give me the {us} in order.",
    "Give me all {us}.", "Say the {us} in order.", "list the {us}", "Can you list the {us}?",
    "Name the {us} in order.", "I need a list of the {us}."
)
IS_COLOUR = pairs("""the_sky:blue grass:green snow:white coal:black a_banana:yellow blood:red
a_lemon:yellow the_sun:yellow an_orange:orange milk:white chocolate:brown
a_tomato:red a_frog:green the_sea:blue a_flamingo:pink a_carrot:orange""")
ASK_COLOUR = T(
    "What colour is {x}?", "What color is {x}?", "Which colour does {x} have?",
    "What's the colour of {x}?", "Tell me the colour of {x}.", "What is the colour of {x}?",
    "Do you know the colour of {x}?", "the colour of {x}?", "Say what colour {x} is.",
    "What's the color of {x}?", "What colour has {x}?", "Name the colour of {x}."
)
MIX = {
    ("blue", "yellow"): "green",
    ("red", "blue"): "purple",
    ("red", "yellow"): "orange",
    ("black", "white"): "grey",
    ("red", "white"): "pink",
}
ASK_MIX = T(
    "What do {a} and {b} make?", "Mix {a} and {b}.", "Which colour do I get from {a} and {b}?",
    "What colour do {a} and {b} make?", "{a} plus {b} makes which colour?",
    "What happens if I mix {a} and {b}?", "What is the mix of {a} and {b}?",
    "I mix {a} and {b}, what do I get?", "What do I get if I mix {a} and {b}?",
    "Which colour do {a} and {b} make?", "{a} and {b} make what?",
    "What colour is {a} and {b} together?", "If I mix {a} and {b}, what happens?",
    "{a} and {b} together make which colour?", "What do I get from {a} with {b}?",
    "{a} together with {b}?", "What colour do I get from {a} and {b}?"
)
SOUNDS = pairs("""cow:moo cat:meow dog:woof sheep:baa duck:quack lion:roar frog:ribbit bee:buzz
owl:hoo pig:oink""")
ASK_SOUND = T(
    "What does a {a} say?", "What sound does a {a} make?", "Which sound does a {a} make?",
    "What noise does a {a} make?", "How does a {a} sound?", "What do {a}s say?",
    "What does the {a} say?", "a {a} says what?", "What is the sound of a {a}?",
    "Which noise do {a}s make?", "Do you know what a {a} says?", "the sound of a {a}?"
)
OPPOSITE = pairs(
    """hot:cold big:small fast:slow up:down good:bad old:new light:dark left:right happy:sad
    full:empty open:closed day:night early:late hard:soft high:low wet:dry cold:hot small:big
    slow:fast down:up bad:good new:old dark:light right:left sad:happy empty:full closed:open
    night:day late:early soft:hard low:high dry:wet long:short short:long rich:poor poor:rich
    strong:weak weak:strong young:old thick:thin thin:thick loud:quiet quiet:loud clean:dirty
    dirty:clean easy:difficult true:false false:true yes:no no:yes black:white white:black
    always:never never:always inside:outside outside:inside heavy:light near:far far:near
    first:last last:first love:hate win:lose begin:end start:stop push:pull buy:sell give:take
    alive:dead summer:winter winter:summer north:south south:north east:west west:east
    before:after after:before"""
)
ASK_OPPOSITE = T(
    "What is the opposite of {a}?", "Opposite of {a}?", "Tell me the opposite of {a}.",
    "What's the opposite of {a}?", "the opposite of {a}", "{a} is the opposite of what?",
    "What is the contrary of {a}?", "Name the opposite of {a}.", "{a}: what is the opposite?",
    "Do you know the opposite of {a}?", "What word is the opposite of {a}?",
    "Say the opposite of {a}.", "opposite of {a}", "Which word means the opposite of {a}?",
    "antonym of {a}", "What is an antonym of {a}?", "I need the opposite of {a}.",
    "Give me an antonym for {a}."
)
ADD = T(
    "What is {a} + {b}?", "{a} + {b}", "How much is {a} + {b}?", "What is {a} plus {b}?",
    "{a}+{b}=?", "Calculate {a} + {b}.", "{a} plus {b}?", "Add {a} and {b}.", "{a}+{b}",
    "What's {a} + {b}?", "Compute {a} plus {b}.", "How much is {a} plus {b}?",
    "{a} and {b} is how much?", "How much is {a} and {b}?", "Tell me {a} + {b}.", "{a} + {b} =",
    "the sum of {a} and {b}?", "What is the sum of {a} and {b}?",
    "Calculate the sum of {a} and {b}.", "Please calculate {a} plus {b}.",
    "Can you add {a} and {b}?", "Now {a} plus {b}.", "{a} plus {b} is what?",
    "What is the sum: {a} + {b}?", "What sum do {a} and {b} make?"
)
SUB = T(
    "What is {a} - {b}?", "{a} - {b}", "How much is {a} - {b}?", "What is {a} minus {b}?",
    "{a}-{b}=?", "Calculate {a} - {b}.", "{a} minus {b}?", "{a}-{b}", "What's {a} - {b}?",
    "Take {b} from {a}.", "Compute {a} - {b}.", "How much is {a} minus {b}?", "Tell me {a} - {b}.",
    "{a} - {b} =", "Subtract {b} from {a}.", "{a} less {b}?", "What's {a} minus {b}?",
    "What is left of {a} if I take {b} away?", "Please calculate {a} minus {b}.",
    "Take {b} away from {a}.", "If I take {b} from {a}, what is left?", "{a} take away {b}?",
    "What is left if I take {b} away from {a}?", "What is left of {a} minus {b}?",
    "I take {b} away from {a}, what is left?", "{a} without {b}?",
    "What is left of {a} if {b} are taken away?", "What is left of {a} when I take {b} away?",
    "What is left if I take {b} from {a}?"
)
MUL = T(
    "What is {a} * {b}?", "{a} * {b}", "How much is {a} times {b}?", "What is {a} times {b}?",
    "{a}*{b}=?", "Calculate {a} * {b}.", "{a} times {b}?", "Multiply {a} by {b}.", "{a} x {b}",
    "What's {a} times {b}?", "Compute {a} * {b}.", "How much is {a} * {b}?", "Tell me {a} * {b}.",
    "{a} * {b} =", "What's {a} * {b}?", "{a} times {b} is how much?", "{a} multiplied by {b}?",
    "What is {a} multiplied by {b}?", "Please calculate {a} times {b}.",
    "Calculate {a} multiplied by {b}.", "What do I get if I multiply {a} and {b}?",
    "Can you multiply {a} by {b}?", "{a} times {b} is what?"
)


NUMBERS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen twenty""".split()
STORIES = {
    "+": T(
        "I have {a} {x} and get {b} more.", "I have {a} {x} and buy {b} more, how many do I have?",
        "Tom has {a} {x} and Mia has {b}, how many is that?",
        "{a} {x} and {b} {x} are how many {x}?",
        "There are {a} {x}, then {b} more come. How many are there?",
        "If I have {a} {x} and find {b}, how many are there?"
    ),
    "-": T(
        "I have {a} {x} and eat {b}.", "I have {a} {x} and lose {b}, how many are left?",
        "Of {a} {x} I give {b} away, how many do I keep?",
        "There were {a} {x}, {b} are gone. How many are left?",
        "I had {a} {x} and sold {b} of them.",
        "If I have {a} {x} and take {b} away, how many are left?"
    ),
    "*": T(
        "I have {a} bags of {b} {x}, how many is that?", "{a} boxes with {b} {x} each?",
        "Each of {a} children has {b} {x}, how many in all?", "{a} rows of {b} {x} are how many?",
        "How many {x} are {a} bags with {b} {x} each?", "{a} groups of {b} {x}?"
    ),
}
COUNTED = """apples pears eggs books cups cats coins cards pens stones balls cakes keys
flowers""".split()
MORE_SUMS = {
    "+": T(
        "what does {a} and {b} make", "{a} with {b} comes to?", "Do you know what {a} + {b} is?",
        "solve {a} + {b}", "{a} + {b} equals", "{a} + {b} is", "the result of {a} + {b}?",
        "{a} and {b} together?", "can you do {a} + {b}", "quick, {a} + {b}", "{a} + {b}?",
        "What is the total of {a} and {b}?", "{a} & {b}?"
    ),
    "-": T(
        "{a} - {b} equals", "Do you know what {a} - {b} is?", "solve {a} - {b}",
        "the result of {a} - {b}?", "{a} - {b} is", "can you do {a} - {b}", "{a} minus {b} makes?",
        "{a} - {b}?", "What do I get for {a} - {b}?", "quick, {a} minus {b}"
    ),
    "*": T(
        "{a} * {b} equals", "Do you know what {a} * {b} is?", "solve {a} * {b}",
        "the result of {a} * {b}?", "{a}x{b}", "can you do {a} times {b}",
        "the product of {a} and {b}?", "{a} * {b}?", "{a} x {b} = ?", "quick, {a} times {b}",
        "what does {a} times {b} make"
    ),
}


def in_words(g, t, op, a, b):
    """A question for a sum: in digits, in words or as a little story."""
    if g.p(0.12):
        return g.say(STORIES[op], a=a, b=b, x=g.one(COUNTED))
    if g.p(0.3):
        t = MORE_SUMS[op]
    if g.p(0.25) and a <= 20 and b <= 20:
        a, b = NUMBERS[a], NUMBERS[b]
    return g.say(t, a=a, b=b)


def gravity(g, ctx):
    def shown(p):
        return (
            g.one(["the moon", "the Moon", "the moon", "Moon"])
            if p == "the Moon"
            else p.lower() if g.noisy and g.p(0.1) else p
        )

    if g.p(0.5):
        p = g.rng.choice(list(GRAVITY))
        return g.say(ASK_GRAVITY, p=shown(p)), R(
            f"The gravity on {p} is {GRAVITY[p]} m/s².", GRAVITY[p], None, None, [GRAVITY[p]]
        )
    p, q = g.rng.sample(list(GRAVITY), 2)
    if g.p(0.3):
        p, q = "Mars", "the Moon"
    return g.say(ASK_GRAVITY2, p=shown(p), q=shown(q)), R(
        f"The gravity on {p} is {GRAVITY[p]} m/s² and on {q} {GRAVITY[q]} m/s².",
        None,
        None,
        None,
        [p, GRAVITY[p], q, GRAVITY[q]],
    )


def capital(g, ctx):
    c = g.rng.choice(list(CAPITALS))
    v = CAPITALS[c].replace("_", " ")
    if g.p(0.2):
        return g.say(ASK_COUNTRY, v=v), R(f"{v} is the capital of {c}.", c, None, None, [c])
    return g.say(ASK_CAPITAL, c=c.lower() if g.noisy and g.p(0.25) else c), R(
        f"The capital of {c} is {v}.", v, None, None, [v]
    )


def order(g, ctx):
    u, items = g.rng.choice([("day", DAYS), ("month", MONTHS), ("planet", PLANETS)])
    r = g.rng.random()
    n = len(items)
    if r < 0.35:
        i = g.rng.randrange(n - (u == "planet"))
        return g.say(AFTER, u=u, a=items[i]), R(
            f"After {items[i]} comes {items[(i + 1) % n]}.",
            items[(i + 1) % n],
            key=[items[(i + 1) % n]],
        )
    if r < 0.6:
        i = g.rng.randrange(u == "planet", n)
        return g.say(BEFORE, u=u, a=items[i]), R(
            f"Before {items[i]} comes {items[i - 1]}.", items[i - 1], key=[items[i - 1]]
        )
    if r < 0.8:
        i = g.rng.randrange(n)
        tail = {
            "planet": "planet from the Sun",
            "day": "day of the week",
            "month": "month of the year",
        }[u]
        return g.say(NTH_ASK, n=NTH[i], u=g.one([u, tail])), R(
            f"The {NTH[i]} {u} is {items[i]}.", items[i], key=[items[i]]
        )
    if r < 0.9:
        m = g.rng.choice(MONTHS)
        return g.say(
            ASK_LENGTH, m=m.lower() if g.noisy and g.p(0.2) else m
        ), R(f"{m} has {LENGTH[m]} days.", LENGTH[m], key=[LENGTH[m]])
    us = {"planet": "planets", "day": "days of the week", "month": "months"}[u]
    return g.say(LIST_ASK, us=us), R(", ".join(items) + ".", key=[", ".join(items)])


def colour(g, ctx):
    r = g.rng.random()
    if r < 0.4:
        x = g.rng.choice(list(IS_COLOUR))
        n = x.replace("_", " ")
        return g.say(ASK_COLOUR, x=n), R(
            f"{cap(n)} is {IS_COLOUR[x]}.", cap(IS_COLOUR[x]), key=[IS_COLOUR[x]]
        )
    if r < 0.6:
        a, b = g.rng.choice(list(MIX))
        m = MIX[a, b]
        if g.p(0.5):
            a, b = b, a
        return g.say(ASK_MIX, a=a, b=b), R(f"{cap(a)} and {b} make {m}.", cap(m), key=[m])
    if r < 0.88:
        a = g.rng.choice(list(OPPOSITE))
        b = OPPOSITE[a]
        return g.say(ASK_OPPOSITE, a=a), R(f"The opposite of {a} is {b}.", cap(b), key=[b])
    a = g.rng.choice(list(SOUNDS))
    return g.say(
        ["What does a {a} say?", "What sound does a {a} make?", "Which sound does a {a} make?"],
        a=a,
    ), R(f"A {a} says {SOUNDS[a]}.", cap(SOUNDS[a]), key=[SOUNDS[a]])


def arithmetic(g, ctx):
    r = g.rng.random()
    if r < 0.4:
        c = g.rng.randint(0, 20)
        a = g.rng.randint(0, c)
        b = c - a
        t, op = ADD, "+"
    elif r < 0.7:
        a = g.rng.randint(0, 20)
        b = g.rng.randint(0, a)
        c, t, op = a - b, SUB, "-"
    else:
        a, b = g.rng.randint(1, 10), g.rng.randint(1, 10)
        c, t, op = a * b, MUL, "*"
    return in_words(g, t, op, a, b), R(
        f"{a} {op} {b} = {c}", str(c), f"{a} {op} {b} = {c}", f"{a} {op} {b} = {c}", [f"= {c}"]
    )
