"""Haiku, stories, lists and code: long answers, whose streaming is visible."""

from paraphrases import R, T, cap
from words import ANIMALS, person

H1 = [
    "An old silent pond",
    "Morning on the lake",
    "Snow on the dark hill",
    "A light in the fog",
    "Rain on the tin roof",
    "Wind in the tall grass",
    "The long winter night",
]
H2 = [
    "a small boat drifts through the mist",
    "the birch trees whisper their names",
    "a fox leaves its tracks in white",
    "one lamp waits for the last guest",
    "the kettle sings to itself",
    "somewhere a door falls shut",
]
H3 = [
    "and nobody speaks",
    "the stars look away",
    "then it is quiet",
    "spring is not far now",
    "my tea has gone cold",
    "a bell rings far off",
]
ASK_HAIKU = T(
    "Write a haiku.", "Write me a haiku.", "Can you write a haiku?", "A haiku, please.", "haiku",
    "I would like a haiku.", "Make up a haiku.", "Compose a haiku."
)
ASK_LIMERICK = T(
    "Write a limerick.", "Tell me a limerick.", "A limerick, please.", "limerick",
    "Can you make a limerick?", "Please write me a limerick.", "I would like a limerick.",
    "Make up a limerick.", "Give me a limerick.", "Write me a limerick.", "One limerick, please.",
    "Compose a limerick."
)
LIM = [
    (
        "an old baker from Crete",
        "who baked with his hands and his feet",
        "He slipped on some dough",
        "and shouted: Oh no!",
        "but still it was tasty to eat",
    ),
    (
        "a young owl from the wood",
        "who studied as hard as it could",
        "It read every night",
        "by pale candle light",
        "and understood more than it should",
    ),
    (
        "a server in Rome",
        "that felt very much at home",
        "It answered each guest",
        "and then took a rest",
        "as quiet as foam under chrome",
    ),
]
ASK_STORY = T(
    "Tell me a short story.", "Write a two-sentence story.", "A short story, please.",
    "Write a very short story.", "short story", "Make up a short story.",
    "Can you tell me a short story?", "I would like a short story.", "Give me a short story.",
    "A very short story, please.", "Write a story.", "A story in two sentences, please.",
    "Tell me a story.", "Two sentences of a story, please.", "Write a story with two sentences.",
    "Tell a story.", "A story!", "A short little story."
)
ASK_STORY_ABOUT = T(
    "Tell me a short story about {x}.", "Write a short story about {x}.",
    "A short story about {x}, please.", "Make up a story about {x}.",
    "Write a two-sentence story about {x}.", "Can you tell a short story about {x}?",
    "Tell me a story about {x}.", "Write a story about {x}.", "a story about {x}",
    "I want a story about {x}.", "story of {x}", "Can you write a short story about {x}?",
    "Could I have a story about {x}?", "A tale about {x}, please.", "Invent a story about {x}.",
    "Give me a story about {x}.", "short story: {x}", "I would like a short story about {x}."
)
HEROES = """robot wizard knight princess king queen pirate witch ghost baker sailor unicorn
giant dwarf programmer cook clown farmer detective mermaid monster vampire prince girl boy man
woman child cloud tree""".split()
ASK_LONG = T(
    "Tell me a long story.", "Write a long story.", "A long story, please.", "Tell a long story.",
    "long story", "I want to hear a long story.", "Please tell me a really long story.",
    "Write me a long answer.", "Let me hear a long story.", "I want a long story.",
    "Can I hear a long story?", "Tell me the longest story you know.", "a very long story, please",
    "Give me a long story.", "I would like a long story.", "Could you tell a long story?",
    "Write a really long story.", "something long, please: a story", "Do you know a long story?",
    "Tell us a very long story."
)
PLACES = [
    "a lighthouse at the end of the world",
    "a small house by the lake",
    "an old mill in the woods",
    "a tower above the harbour",
]
FINDS = [
    "a rusty key",
    "a map without names",
    "a lantern that never went out",
    "a letter from the sea",
]
LISTS = {
    "fruits": "apples pears plums cherries lemons",
    "vegetables": "carrots onions peas beans potatoes",
    "animals": "cats dogs horses owls foxes",
    "colours": "red blue green yellow white",
    "tools": "hammer saw drill wrench pliers",
    "instruments": "violin flute drum harp piano",
    "trees": "oak birch pine maple willow",
    "metals": "iron copper gold silver zinc",
}
ASK_LIST = T(
    "List {n} {x}.", "Give me a list of {n} {x}.", "Name {n} {x}.", "Make a list of {n} {x}.",
    "{n} {x} as a list, please.", "Write a list of {n} {x}.", "Write {n} {x}.",
    "Write me {n} {x} as a list.", "I need a list of {n} {x}.", "A list of {n} {x}, please.",
    "Write down {n} {x}.", "Tell me {n} {x}.", "{n} {x}", "Can you name {n} {x}?",
    "Which {n} {x} do you know?", "I want {n} {x}.", "Can you list {n} {x}?", "Show me {n} {x}.",
    "Say {n} {x}.", "name me {n} {x}", "{n} {x}, please."
)
SHOP = T(
    "Write a shopping list.", "Make a shopping list.", "A shopping list, please.", "shopping list",
    "I need a shopping list.", "Can you write a shopping list?", "I want a shopping list.",
    "Give me a shopping list.", "Write me a shopping list.", "What should I buy?",
    "A list for shopping, please.", "Please make a shopping list.",
    "Can you write me a list for shopping?", "Can you make a shopping list?",
    "I would like a shopping list.", "Write down a shopping list.", "Shopping list, please."
)
CODE = [
    (T(
        "Write hello world in Python.", "Hello world in Python", "Show me some Python code.",
        "Write some code.", "A small Python example, please.", "Can you write a Python program?",
        "Python program", "Can you write Python?", "Write a Python program.",
        "A program in Python, please.", "Python code, please."
    ), "python", 'print("Hello, world!")'),
    (T(
        "Write hello world in Swift.", "Hello world in Swift", "Show me some Swift code.",
        "Swift example, please.", "Write a bit of Swift.", "Can you write Swift?",
        "Can you write some Swift?", "Swift code, please", "Write a Swift program.",
        "A Swift program, please.", "Show me Swift."
    ), "swift", 'print("Hello, world!")'),
    (T(
        "Write a loop in Python.", "Show me a for loop in Python.", "Python loop",
        "How do I write a loop in Python?", "A Python loop, please.",
        "Can you write a Python loop?", "Can you write a loop?", "Write a for loop in Python.",
        "A loop in Python, please.", "Python for loop", "I need a loop in Python."
    ), "python", "for i in range(3):\n    print(i)"),
    (T(
        "Write a function that adds two numbers.", "Write a Python function.",
        "Show me a function in Python.", "A function, please.",
        "How do I define a function in Python?", "Write an add function in Python.",
        "Write a function in Python.", "Python function", "Can you write a function?",
        "Write a function to add numbers.", "Add two numbers with a Python function."
    ), "python", "def add(a, b):\n    return a + b"),
    (T(
        "Write an SQL query.", "Show me some SQL.", "SQL example", "A small SQL query, please.",
        "How do I select all rows in SQL?", "Can you write SQL?", "Write SQL.",
        "Can you write an SQL query?", "Can you show me SQL?", "SQL query, please.",
        "I need an SQL query."
    ), "sql", "SELECT *\nFROM messages\nORDER BY id;"),
]


ASK_JOKE = T(
    "Tell me a joke.", "tell me a joke", "A joke, please.", "joke", "Do you know a joke?",
    "Make me laugh.", "Tell a joke.", "Can you tell a joke?", "I want to hear a joke.",
    "Another joke!", "Know any jokes?", "Tell us a joke.", "Give me a joke.", "I need a joke.",
    "Say a joke.", "one joke please", "Tell me something funny.", "a good joke?",
    "Tell me your best joke.", "Are you funny? Tell me a joke.", "Do you have a joke for me?",
    "Make a joke.", "something funny, please", "jokes?"
)
JOKES = [
    "Why did the server go to bed early? Because it had too many requests.",
    "Why do programmers like tea? Because Java was too hot.",
    "What does a small model say to a large one? You have so many layers, aren't you warm?",
    "Why was the computer cold? It had left its windows open.",
    "How many programmers does it take to change a light bulb? None: that is a hardware problem.",
]
ASK_FUN = T(
    "Tell me a fun fact.", "fun fact", "Tell me something interesting.", "Do you know a fun fact?",
    "A fun fact, please.", "Give me a fun fact.", "Tell me a fact.", "Teach me something.",
    "Tell me something that I do not know.", "Something interesting, please.",
    "Say something interesting.", "Give me a random fact.", "random fact", "Tell me anything.",
    "an interesting fact?", "Do you know something interesting?", "Tell me something.",
    "Say something."
)
FUN = [
    "A day on Venus is longer than a year on Venus.",
    "Honey keeps for thousands of years.",
    "An octopus has three hearts.",
    "Bananas are berries, but strawberries are not.",
]
ASK_POEM = T(
    "A poem, please.", "poem", "Can you write a poem?", "I would like a poem.", "Make up a poem.",
    "Compose a poem.", "Give me a poem.", "Write a short poem.", "A short poem, please.",
    "Please write me a poem.", "Do you know a poem?", "Recite a poem.", "Tell me a poem."
)
POEMS = [
    "The lamp is lit, the kettle sings,\n"
    "a moth goes by on paper wings.\n"
    "The day was long, the night is near,\n"
    "and all who came are welcome here.",
    "I asked the rain why it must fall.\n"
    "It tapped the glass and said: I call\n"
    "on every roof in every town,\n"
    "for what goes up likes coming down.",
]
MORE_HAIKU = T(
    "please, a haiku", "Can I have a haiku?", "Do you know a haiku?", "Write us a haiku.",
    "One haiku, please.", "Let me read a haiku.", "Please compose a haiku.", "a haiku for me?",
    "Give me a haiku.", "I want a haiku.", "Could you write a haiku?", "Try a haiku."
)


def short(g):
    """A joke, a fact or a poem, each of a few memorized ones."""
    ask, texts = g.rng.choices([(ASK_JOKE, JOKES), (ASK_FUN, FUN), (ASK_POEM, POEMS)], [5, 3, 2])[0]
    return g.say(ask), R(g.one(texts), key=[tuple(texts)])


def story_about(g, x):
    place, find = g.one(PLACES), g.one(FINDS)
    return (
        f"{cap(x)} lived in {place} and found {find} one morning. Nobody knows what happened "
        f"then, but since that day {x} smiles at strangers."
    )


def haiku(g):
    return R(f"{g.one(H1)},\n{g.one(H2)},\n{g.one(H3)}.", key=[",\n"])


def limerick(g):
    a, b, c, d, e = g.one(LIM)
    return R(f"There once was {a}\n{b}.\n{c}\n{d}\n{e}.", key=["There once was"])


def listing(n, x):
    """The first `n` of the things called `x`."""
    lines = "\n".join("- " + w for w in LISTS[x].split()[:n])
    return R(lines, key=[lines])


SHOPPING = R("- bread\n- milk\n- apples\n- coffee", key=["- bread\n- milk"])


def amount(g, n):
    return g.one(["zero one two three four five".split()[n], str(n)])


def writing(g, ctx):
    if g.p(0.2):
        return short(g)
    r = g.rng.random()
    if r < 0.2:
        return g.say(MORE_HAIKU if g.p(0.4) else ASK_HAIKU), haiku(g)
    if r < 0.3:
        return g.say(ASK_LIMERICK), limerick(g)
    if r < 0.55:
        if g.p(0.3):
            return g.say(ASK_STORY), R(
                story_about(g, "a " + g.one(["fox", "bear", "goat"])), key=["lived in", "found"]
            )
        x = hero(g)
        return g.say(ASK_STORY_ABOUT, x=x), R(story_about(g, x), key=[x.split()[-1], "lived in"])
    if r < 0.75:
        if g.p(0.25):
            return g.say(SHOP), SHOPPING
        n, x = g.rng.randint(2, 5), g.rng.choice(list(LISTS))
        return g.say(ASK_LIST, n=amount(g, n), x=x), listing(n, x)
    t, lang, code = g.rng.choice(CODE)
    return g.say(t), R(f"```{lang}\n{code}\n```", key=["```" + lang, code])


def hero(g):
    """The main character of a story."""
    if g.p(0.4):
        return person(g)
    name = g.one(ANIMALS if g.p(0.5) else HEROES)
    return ("an " if name[0] in "aeiou" else "a ") + name


def long_story(g, ctx):
    hero = g.one(["an old fox", "a young bear", "a clever goat"])
    short = hero.split()[-1]
    place, find = g.one(PLACES), g.one(FINDS)
    return g.say(ASK_LONG), R(
        f"Once upon a time there was {hero} who lived in {place}. Every morning the {short} "
        "swept the floor, made a pot of tea and looked at the sky.\n\n"
        "One day there was a knock at the door. Outside stood nobody, but on the step lay "
        f"{find}. The {short} turned it over three times, put it into a bag and set out to "
        "find its owner.\n\n"
        f"First the {short} asked the river, but the river was in a hurry. Then the {short} "
        f"asked the mountain, but the mountain was asleep. At last the {short} asked the "
        "moon, "
        f'and the moon said: "It is yours. I only wanted you to come out and talk to somebody."\n\n'
        f"So the {short} walked home, left the door open from that day on, and never drank "
        "tea alone again.",
        key=["Once upon a time", "never drank tea alone again"],
    )
