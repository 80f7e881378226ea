"""Haiku, stories, lists and code: answers that are long enough to be watched."""

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
    "Write a two-sentence story about {x}.", "Can you tell a short story about {x}?"
)
ASK_LONG = T(
    "Tell me a long story.", "Write a long story.", "A long story, please.", "Tell a long story.",
    "long story", "I want to hear a long story.", "Please tell me a really long story.",
    "Write me a long answer.", "Let me hear a long story.", "I want a long story.",
    "Can I hear a long story?"
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
    "Write down {n} {x}."
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


def story_about(g, x):
    place, find = g.one(PLACES), g.one(FINDS)
    return (
        f"{cap(x)} lived in {place} and found {find} one morning. Nobody knows what happened "
        f"then, but since that day {x} smiles at strangers."
    )


def writing(g, ctx):
    r = g.rng.random()
    if r < 0.2:
        return g.say(ASK_HAIKU), R(f"{g.one(H1)},\n{g.one(H2)},\n{g.one(H3)}.", key=[",\n"])
    if r < 0.3:
        a, b, c, d, e = g.one(LIM)
        return g.say(ASK_LIMERICK), R(
            f"There once was {a}\n{b}.\n{c}\n{d}\n{e}.", key=["There once was"]
        )
    if r < 0.55:
        if g.p(0.3):
            return g.say(ASK_STORY), R(
                story_about(g, "a " + g.one(["fox", "bear", "goat"])), key=["lived in", "found"]
            )
        x = person(g) if g.p(0.5) else "a " + g.one([a for a in ANIMALS if a[0] not in "aeiou"])
        return g.say(ASK_STORY_ABOUT, x=x), R(story_about(g, x), key=[x.split()[-1], "lived in"])
    if r < 0.75:
        if g.p(0.25):
            return g.say(SHOP), R("- bread\n- milk\n- apples\n- coffee", key=["- bread\n- milk"])
        n, x = g.rng.randint(2, 5), g.rng.choice(list(LISTS))
        number_word = "zero one two three four five".split()[n]
        return g.say(ASK_LIST, n=g.one([number_word, str(n)]), x=x), R(
            "\n".join("- " + w for w in LISTS[x].split()[:n]),
            key=["\n".join("- " + w for w in LISTS[x].split()[:n])],
        )
    t, lang, code = g.rng.choice(CODE)
    return g.say(t), R(f"```{lang}\n{code}\n```", key=["```" + lang, code])


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
