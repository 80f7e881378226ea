"""Questions that hold the words of a skill and ask for something else: all get a no.

Without them a country alone would bring up its capital, and "stop" the button of that name.
"""

from beyond import FACT, HARD, SUMS, careless, fill
from beyondwords import SLOTS, entries
from facts import (
    AFTER,
    ASK_CAPITAL,
    ASK_COLOUR,
    ASK_GRAVITY,
    ASK_LENGTH,
    ASK_MIX,
    ASK_OPPOSITE,
    ASK_SOUND,
    BEFORE,
    CAPITALS,
    DAYS,
    IS_COLOUR,
    MIX,
    MONTHS,
    NTH_ASK,
    OPPOSITE,
    PLANETS,
    SOUNDS,
)
from paraphrases import T
from wordplay import COUNT
from words import CITIES, COLOURS, DRINKS, JOBS, NAMES, SPORTS

OWN = {
    "country": list(CAPITALS),
    "capital": [x.replace("_", " ") for x in CAPITALS.values()],
    "planet": PLANETS + ["the Moon"],
    "day": DAYS,
    "month": MONTHS,
    "colour": COLOURS,
    "coloured": [x.replace("_", " ") for x in IS_COLOUR],
    "quality": sorted(OPPOSITE),
    "skill": """capital gravity opposite colour count spelling letter story haiku list shopping
        joke sum number planet name day month search export invite model account""".split(),
    "open": entries(
        """how, why, who, when, where, what, which, how much, how often, how long, can I, do I,
        is it, are there, does it, should we, could they, whose, what if, tell me, explain, show
        me, i need, find, give me, help me with, what about, is there, have you"""
    ),
}

ABOUT_FACTS = [
    "How many people live in {country}?", "What do they eat in {country}?",
    "Is {country} bigger than {place}?", "Who is the president of {country}?",
    "the flag of {country}", "Is it cold in {country}?", "{country}", "What about {country}?",
    "Which language is spoken in {country}?", "Which towns are in {country}?",
    "Who founded {capital}?", "How old is {capital}?", "What can I see in {capital}?",
    "How do I get to {capital}?", "Is {capital} expensive?", "the mayor of {capital}",
    "the biggest river of {country}", "what is {country} known for", "the currency of {country}",
    "Is {capital} a nice town?", "What is the second city of {country}?",
    "Why is {capital} the capital of {country}?", "When did {capital} become the capital?",
    "How far is {planet}?", "Who discovered {planet}?", "Is there water on {planet}?",
    "How hot is {planet}?", "How old is {planet}?", "Can I live on {planet}?",
    "How big is {planet}?", "How long is a year on {planet}?", "What is {planet} made of?",
    "Has {planet} any rings?", "When do we fly to {planet}?", "Who invented gravity?",
    "What is gravity?", "Why is there gravity?", "Does {object} have gravity?",
    "Why is it called {day}?", "Why do people hate {day}s?", "What happened in {month}?",
    "Is {month} warm in {place}?", "Who was born in {month}?",
    "Where does the word {day} come from?", "Why has {month} so few days?",
    "Which holidays are in {month}?", "Is {day} a holiday?", "Why is {coloured} {colour}?",
    "How big is {coloured}?", "How heavy is {coloured}?", "Who invented the colour {colour}?",
    "Is {colour} a warm colour?", "How do I mix {colour}?", "Does {colour} suit me?",
    "What do {colour} and {food} make?", "{quality} or {quality}?",
    "Why is everything {quality}?", "Who is {quality}?", "How {quality} is {place}?",
    "What does {quality} mean?", "a poem about {quality}", "Is {quality} a verb?",
    "What rhymes with {quality}?", "another word for {quality}", "How {quality} are you?",
    "What do you know about opposites?", "Do opposites attract?", "What is the opposite?",
    "the opposite of {word} {word}", "Is {quality} the opposite of {topic}?"
]
ABOUT_SKILLS = [
    "How do I stop {hobby}?", "How can I stop {plural}?", "Stop {friend}!", "stop the {object}",
    "How do I search for a {job}?", "Where can I find {food}?", "Search my {object}.",
    "How do I export {food}?", "Which goods does {country} export?",
    "Invite {friend} to {event}.", "How do I invite {person}?", "Delete my {brand} account.",
    "How do I delete {tech}?", "Add {food} to {food}.", "Add {friend} to my contacts.",
    "How do I use a {object}?", "Which {object} model is the best?", "What is a fashion model?",
    "pull the {object}", "Spell check: {sentence}", "Is {word} spelled right?",
    "Who invented spelling?", "Count the {plural} in {place}.", "Who counts the votes?",
    "How do {plural} count?", "Count my money.", "Count backwards from {n}.",
    "count down from {n} to 1", "Count odd numbers.", "Write a haiku in {tongue}.",
    "Write a story in {tongue}.", "Explain this haiku: {sentence}", "What is a haiku?",
    "Who wrote the first limerick?", "Is this story good: {sentence}",
    "Who tells the best stories?", "Make a film of this story.", "What is a joke?",
    "Explain the joke.", "Why is that funny?", "Write {lang} code to {codeact}.",
    "Name three {job}s.", "List {n} {topic}.", "List all {plural}.", "Name {n} {brand} products.",
    "a list of {person} songs", "Make a list of {abstract} words.", "Which list is longer?",
    "Repeat that in {tongue}.", "Reverse this {object}.", "How do I reverse a {object}?",
    "Turn the {object} around.", "Say it in {tongue}.", "What does {friend} say?",
    "Who said {foreign}?", "What is the name of {person}'s {animal}?", "Name my {animal}.",
    "What is the {object}'s name?", "Give me a name for my {object}.", "Whose name is {word}?",
    "How old is my {object}?", "Where does {friend} live?", "Who lives in {place}?",
    "What is {friend}'s job?", "Which job fits me?", "What job pays best?", "Find me a job.",
    "Which colour should my {object} have?", "Which food is healthy?", "Which animal am I?",
    "Which number will win the lottery?", "What is my future?", "What is my {object} worth?",
    "Why is my {body} {adj}?", "What was my dream about?", "Do I have {illness}?"
]
ABOUT_NUMBERS = [
    "Is {n} a lucky number?", "Who invented the number {n}?", "What is special about {n}?",
    "{n} {object}s", "Is {n} bigger than {n}?", "Which is more, {n} or {n}?",
    "{n} percent of {n}", "{n} to the power of {n}", "divide {n} by {n}", "{n} over {n}",
    "{n}/{n}", "half of {n}", "the root of {n}", "the average of {n} and {n}", "{n} km in miles",
    "{n} kilos in pounds", "{n} + {n} * {n}", "{n} - {n} - {n}", "{n} plus x is {n}",
    "{n}.{n} + {n}.{n}", "{n} squared", "How many weeks are {n} days?",
    "How many hours are {n} minutes?", "{n} euros in dollars", "What is {n} in binary?",
    "Is {n} prime?", "the factors of {n}", "{n}, {n}, {n}: what is next?", "{huge} plus {huge}",
    "{huge} times {n}", "{huge} minus {huge}", "{huge} and {huge} together?"
]


def filled(g, frame):
    """The frame with each slot drawn afresh, from the words of the skills too."""
    for name, items in OWN.items():
        while "{" + name + "}" in frame:
            frame = frame.replace("{" + name + "}", g.one(items), 1)
    return fill(g, frame)


CLASSES = [
    list(CAPITALS), CITIES, DAYS, MONTHS, PLANETS, COLOURS, JOBS, DRINKS, SPORTS, NAMES,
    SLOTS["food"], SLOTS["object"], SLOTS["abstract"], SLOTS["animal"], SLOTS["word"],
]
TAUGHT = set(CAPITALS) | set(PLANETS) | set(DAYS) | set(MONTHS) | set(OPPOSITE) | set(SOUNDS)
TAUGHT |= {x.split("_")[-1] for x in IS_COLOUR} | {"moon", "earth", "banana", "sky"}


def stranger(g, own):
    """A word of some other class than `own`, and so without an answer."""
    while True:
        x = g.one(g.one(CLASSES))
        if x not in own:
            return fill(g, x)


ASKS = [
    ASK_CAPITAL, ASK_GRAVITY, ASK_OPPOSITE, ASK_OPPOSITE, ASK_LENGTH, ASK_COLOUR, ASK_SOUND, AFTER,
    BEFORE, NTH_ASK, ASK_MIX,
]
LATE = "thirteenth fourteenth fifteenth twentieth thirtieth hundredth zeroth".split()
LATER_THAN_NINE = "ninth tenth eleventh twelfth".split()


def crossed(g):
    """The question of a skill about something that it cannot be about."""
    ask = g.one(ASKS)
    if ask is ASK_CAPITAL:
        return g.say(ask, c=stranger(g, CAPITALS))
    if ask is ASK_GRAVITY:
        return g.say(ask, p=stranger(g, PLANETS))
    if ask is ASK_OPPOSITE:
        return g.say(ask, a=stranger(g, OPPOSITE))
    if ask is ASK_LENGTH:
        return g.say(ask, m=stranger(g, MONTHS))
    if ask is ASK_COLOUR:
        return g.say(ask, x=stranger(g, TAUGHT))
    if ask is ASK_SOUND:
        return g.say(ask, a=stranger(g, SOUNDS))
    if ask is ASK_MIX:
        a, b = g.rng.sample(COLOURS, 2)
        return None if (a, b) in MIX or (b, a) in MIX else g.say(ask, a=a, b=b)
    unit, own = g.one([("day", DAYS), ("month", MONTHS), ("planet", PLANETS)])
    if ask is not NTH_ASK:
        return g.say(ask, u=unit, a=stranger(g, set(DAYS + MONTHS + PLANETS)))
    late = LATE if unit == "month" else LATE + LATER_THAN_NINE
    return g.say(ask, n=g.one(late), u=unit)


COUNT_TOO_FAR = entries(
    """a million, one million, two million, a billion, a thousand, one thousand, ten thousand, one
    hundred, a hundred, two hundred, five hundred, forty, fifty, sixty, seventy, eighty,
    ninety, ninety-nine, thirty-one, thirty-five, infinity, the end, a dozen dozens, googol"""
)
COUNT_OTHERWISE = T(
    "Count from {a} to {b}.", "count from {b} to {a}", "Count down from {a}.", "countdown from {a}",
    "Count backwards from {b} to {a}.", "count back from {b}", "Count in steps of {a}.",
    "Count by {a}s.", "Count to {b} in steps of {a}.", "count in twos to {b}",
    "Count to {b} in {l}.",
    "can you count in {l}?", "Count only the even numbers to {b}.", "the odd numbers up to {b}",
    "Count backwards by {a} from {b}.", "How far can you count?", "Count the letters of {w}.",
    "Count all my {w}s.", "count the words in this sentence", "Count every second number to {b}.",
    "Skip count by {a}.", "count sheep", "Count on from {a}.", "Which number comes after {b}?",
    "what number is before {b}", "Start at {a} and count to {b}.", "numbers from {a} to {b}",
    "Count from zero to {b} backwards.", "Count up by {a} from {b}", "reverse count from {b}",
)


def miscounted(g):
    """Counting too far, down, in steps, or something that is no number."""
    r = g.rng.random()
    if r < 0.6:
        most = g.one([60, 120, 999, 99999])
        far = g.one(COUNT_TOO_FAR) if g.p(0.5) else str(g.rng.randint(31, most))
        return g.say(COUNT, n=far)
    a, b = g.rng.randint(2, 12), g.rng.randint(13, 120)
    w = fill(g, g.one(SLOTS["word"]))
    return g.say(COUNT_OTHERWISE, a=a, b=b, w=w, l=g.one(SLOTS["tongue"]))


def decoy(g, ctx):
    """A question about the words of a skill that is none of its questions."""
    if g.p(0.3):
        u = crossed(g)
        if u:
            return u, FACT
    if g.p(0.12):
        return miscounted(g), HARD
    r = g.rng.random()
    if r < 0.38:
        return careless(g, filled(g, g.one(ABOUT_FACTS))), FACT
    if r < 0.65:
        return careless(g, filled(g, g.one(ABOUT_SKILLS))), HARD
    if r < 0.75:
        return careless(g, filled(g, g.one(ABOUT_NUMBERS))), SUMS
    return salad(g), HARD


POOL = ["word", "object", "plural", "food", "topic", "place", "verb", "adj", "act", "person", "job"]


def salad(g):
    """Words in no order behind a question word: what is no question of a skill gets a no."""
    kinds = g.rng.choices(POOL + ["skill", "quality", "country"], k=g.rng.randint(1, 4))
    words = [g.one(OWN[k]) if k in OWN else fill(g, g.one(SLOTS[k])) for k in kinds]
    glue = g.rng.choices(
        ["", "", "a", "the", "my", "of", "in", "is", "for", "to", "and"], k=len(words)
    )
    said = " ".join(x for pair in zip(glue, words) for x in pair if x)
    return careless(g, f"{g.one(OWN['open'])} {said}" + g.one(["", "?", "?", "."]))
