"""Questions that hold the words of a skill and ask for something else: all get a no.

Without them a country alone would bring up its capital, and "stop" the button of that name.
"""

from beyond import FACT, HARD, LIVE, SUMS, careless, fill
from beyondwords import SLOTS, entries
from facts import CAPITALS, DAYS, IS_COLOUR, MONTHS, OPPOSITE, PLANETS
from words import COLOURS, JOBS

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


def decoy(g, ctx):
    """A question about the words of a skill that is none of its questions."""
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
