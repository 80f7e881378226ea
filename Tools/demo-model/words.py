"""The words of the dialogues, mainly invented ones, which can only be copied."""

NAMES = """Ana Bo Mia Leo Emma Noah Olivia Liam Ava Lucas Sofia Elias Aino Eero Helmi Onni
Venla Väinö Kim Lee Sam Alex Max Nina Omar Layla Yusuf Priya Ravi Chen Wei Yuki Hana
Jorge Carmen Pablo Ines Tom Alice Bob Carol Dave Eve Frank Grace Henry Iris Jack
Kate Lars Maja Nils Olga Peter Rosa Simon Tina Ursula Victor Wanda Xavier Yara Zoe
Anton Bella Carl Dora Erik Fiona Gustav Hilda Ivan Julia Karl Linda Marco Nora Oscar
Paula Quinn Rita Stefan Theo Uma Vera Walter Sara Jonas Matti Liisa Pekka Amir Noor
Diego Elena Felix Greta Hugo Ida Jasper Klara Luca Mona Nadia Otto Pia Ruth Sven
Tara Adam Eva Paul Anna Daniel Maria David Laura John Mary James Susan Robert Jane
Mike Lisa Chris Amy""".split()
MORE_NAMES = """Ahmed Aisha Alan Albert Alfred Amanda Amelia Andrea Andrew Angela Annika Antonio
Aria Arthur Astrid Barbara Beatrice Ben Benjamin Bernard Bilal Bjorn Brian Bruno Camille Carlos
Caroline Catherine Cecilia Charlie Charlotte Christine Claire Claudia Connor Daisy Deborah Dennis
Dmitri Dominic Edith Eduardo Edward Eileen Eleanor Ella Emil Emily Enzo Esther Ethan Fatima
Fernando Finn Florian Francesca Freya Gabriel George Gerard Gloria Gregory Hannah Harold Harriet
Harry Hassan Heidi Helen Henrik Ian Ibrahim Igor Ingrid Isaac Isabel Jacob Jasmine Jennifer Jeremy
Jessica Joan Joanna Joel Johannes Joseph Joshua Judith Karen Katya Kenji Kevin Khalid Kirsten
Larry Leila Leonard Lily Logan Lorenzo Louise Lydia Magnus Malik Manuel Margaret Marie Martin
Martha Matthew Maurice Megan Mehmet Michael Milan Miriam Mohammed Monica Nancy Natalie Nathan
Nicholas Nicole Nikolai Oliver Oona Owen Pamela Patricia Patrick Petra Philip Rachel Ralph Raquel
Rebecca Rex Richard Roberto Rolf Ronja Rose Ryan Samira Samuel Sandra Sebastian Sergio Simone
Sophie Stella Steve Suki Sylvia Takeshi Teresa Thomas Timothy Toni Valentina Vincent Viktor Violet
Vivian William Yasmin Yvonne Zainab""".split()
CITIES = """Helsinki Paris London Berlin Madrid Rome Oslo Stockholm Vienna Prague Lisbon Dublin
Tokyo Kyoto Delhi Mumbai Cairo Lagos Nairobi Boston Chicago Denver Seattle Austin
Toronto Montreal Lima Quito Bogota Tampere Turku Oulu Espoo Munich Hamburg Lyon Nice
Porto Naples Milan Turin Athens Warsaw Krakow Riga Tallinn Vilnius Zurich Geneva
Sydney Perth Auckland Seoul Hanoi Manila""".split()
COLOURS = (
    """red blue green yellow orange purple pink black white brown grey turquoise violet
gold silver crimson teal""".split()
)
ANIMALS = (
    """cat dog horse fox owl bear wolf otter penguin dolphin tiger lion rabbit hedgehog
elephant giraffe whale eagle frog turtle squirrel badger moose seal panda koala
parrot hamster goat sheep""".split()
)
FOODS = (
    """pizza pasta sushi soup salad rice bread cheese curry tacos pancakes noodles
chocolate apples mushrooms potatoes ramen lasagna risotto dumplings porridge waffles
falafel hummus cake""".split()
)
JOBS = """teacher nurse doctor baker carpenter pilot farmer painter lawyer engineer plumber
chef gardener librarian writer singer dentist driver electrician designer programmer
student scientist photographer judge""".split()
DRINKS = "coffee tea water milk juice cocoa lemonade cider cola".split()
SPORTS = """tennis football hockey chess running swimming cycling skiing golf rugby yoga judo
rowing""".split()
SEASONS = "spring summer autumn winter".split()
HOBBIES = (
    """reading gardening painting fishing cooking knitting hiking dancing sailing singing
baking climbing""".split()
)
SYL1 = """b br ch d dr f fl g gr h j k kl l m n p pl qu r s sh sk st t th tr v w y z zh""".split()
SYL2 = "a e i o u ai ee oo ia ou".split()
SYL3 = "n l r s m th k x nd rt ck".split() + [""] * 8


def invented(rng, low=2, high=3):
    """An invented word, which the model can only copy."""
    w = "".join(
        rng.choice(SYL1) + rng.choice(SYL2) + (rng.choice(SYL3) if rng.random() < 0.5 else "")
        for _ in range(rng.randint(low, high) - (rng.random() < 0.3))
    )
    return w.capitalize()


ENDS = """burg berg ville ton town borg bury field ford ham haven mouth stad stadt dorf bruck fors
holm vik minster pool wick by grad pur abad polis chester land shire""".split()


def long_word(rng):
    """An invented name, longer than most: with a town's ending, or of many syllables."""
    if rng.random() < 0.5:
        return (invented(rng, 1, 2) + rng.choice(ENDS)).capitalize()
    return invented(rng, 2, 4)


def person(g):
    n = invented(g.rng) if g.p(0.5) else g.one(NAMES if g.p(0.6) else MORE_NAMES)
    return n.lower() if g.noisy and g.p(0.06) else n


def number(g):
    return str(
        g.rng.choice([g.rng.randint(1, 99), g.rng.randint(1, 99), g.rng.randint(100, 9999)])
    )


# what users can state about themselves: phrase -> how to draw a value
def words_or_new(items, new=0.25):
    return lambda g: invented(g.rng).lower() if g.p(new) else g.one(items)


THINGS = {
    "favourite colour": words_or_new(COLOURS, 0.1),
    "favourite animal": words_or_new(ANIMALS),
    "favourite food": words_or_new(FOODS),
    "favourite number": number,
    "job": words_or_new(JOBS, 0.1),
    "favourite drink": words_or_new(DRINKS),
    "favourite sport": words_or_new(SPORTS),
    "favourite season": words_or_new(SEASONS, 0),
    "hobby": words_or_new(HOBBIES),
    "dog's name": person,
    "cat's name": person,
    "best friend's name": person,
    "boss's name": person,
    "team": person,
    "project": person,
    "room number": number,
    "locker number": number,
    "age": number,
    "brother's name": person,
    "sister's name": person,
}
CORE = ["favourite colour", "favourite animal", "favourite food", "favourite number", "job"]


def thing(g):
    return g.one(CORE) if g.p(0.6) else g.one(sorted(THINGS))
