"""Greetings, thanks, goodbyes and questions about the model, put together from parts.

The lists of smalltalk.py are whole sentences; here thousands more come from a few dozen parts.
"""

from beyond import SELF, careless
from beyondwords import entries
from paraphrases import R
from smalltalk import HELP, ME, PULL, WELL

HELLO = entries(
    """hi, hello, hey, heyo, hiya, yo, howdy, morning, evening, good morning, good evening, good
    day, good afternoon, greetings, hi hi, hey hey, helloo, hii, welcome back, hi again"""
)
WHOM = entries(
    """there, phi, stoa, you, all, folks, friend, buddy, everyone, team, bot, robot, my friend,
    again, dear, machine, computer, little model, pal, stranger"""
)
AND = entries(
    """how are you, how are you doing, how do you do, how is your day, how is life, how are things,
    are you awake, are you up, are you busy, I am back, I just arrived, nice to be here,
    nice to meet you, anybody here, I just joined, my first visit, glad to see you, what is
    new, ready to chat, let us begin, it is me again, good to see you, I hope you are well,
    are you well, is all well, can we begin, how have you been, do you have a minute, hope
    you are fine, I am your new user, here I am"""
)

THANK = entries(
    """thanks, thank you, thx, thanx, cheers, many thanks, thank you very much, ty, big thanks,
    thanks mate, thanks friend, thanks phi, a big thank you, I thank you, my thanks"""
)
MUCH = entries(
    """a lot, so much, again, a million, really, heaps, loads, indeed, very much, for that, for
    your help, for the quick answer, for explaining, for your time, for all, for nothing,
    then"""
)
PRAISE = entries(
    """you helped, that was useful, that solved it, it is clear now, great answer, good bot, that
    is all I wanted, you are kind, very useful, it is fixed, problem solved, it runs now,
    works fine, just what I needed, you are great, that was quick, good work, well explained"""
)

LEAVE = entries(
    """I need to go, time for bed, lunch time, my train is here, I must get going, my break is
    over, I have a meeting, I am tired now, I am off to work, dinner is ready, enough for
    now, that is all, that was it, no more questions, I am finished, I am out, I am heading
    home, work is calling, it is late, I will go now, we are done"""
)
FAREWELL = entries(
    """bye, goodbye, bye bye, see you, see you later, see you soon, good night, night, until next
    week, until tomorrow, talk later, talk to you later, take care, have a nice weekend,
    farewell, so long, have a good one, have a nice day, sleep well, later, cheerio, till
    next time, see you around"""
)

FINE = entries(
    """ok, okay, fine, good, great, cool, nice, sure, right, wow, super, perfect, yes, no, yeah,
    alright, i see, understood, good point, fair enough, that is fine, very funny,
    interesting, works for me, as you like, no worries, lol, haha, hehe, oh, ah, aha, hmm,
    well, true, exactly, of course, noted, nice one, good one, i like it, i like that, not
    bad, that is cool, that is great, that is good, that is funny, that is nice, what a
    surprise, so true, oh well, oh no, never mind, too bad, oh dear"""
)

NAMES = entries(
    """Siri, Alexa, Copilot, Gemini, Mistral, DeepSeek, Grok, Bard, Cortana, Eliza, HAL, GPT-5,
    Llama 3, Qwen, Gemma, Watson, Phi-4, Phi-3, a human, a robot, an AI, a bot, a real
    person, a program, a machine, a computer, a language model, a big model, somebody, a
    woman, a ghost, an assistant, a toy, conscious, self-aware, intelligent, able to think,
    real, biological, a living thing, made of metal, an android"""
)
MADE = entries(
    """built, created, trained, designed, programmed, coded, invented, developed, owns, runs,
    wrote, taught, made, pays for, stands behind, is responsible for"""
)
SORT = entries(
    """model, kind of model, version, program, software, AI, kind of AI, sort of bot, kind of
    thing, machine, language model, sort of program"""
)
BIG = entries("""big, large, small, clever, smart, good, powerful, intelligent""")
ABOUT = entries(
    """who are you, what are you, what is this, who is this, who am I talking to, what am I talking
    to, who answers me, who is on the other side, what is behind this chat, which model is
    this, what model runs here, what do I chat with, tell me about yourself, introduce
    yourself, describe yourself, how many parameters do you have, how many weights are in
    you, what is your size, say who you are, explain what you are, is this an AI, is this a
    human, is somebody there or is it a machine, what should I know about you"""
)
WHAT_CAN = entries(
    """what can you {do}, what can you {do} here, what can you {do} for me, what do you {do}, what
    are you able to {do}, what could you {do}, which things can you {do}, what else can you
    {do}, tell me what you can {do}, show me what you can {do}, list what you can {do}, what
    may I ask, what can I ask you, what should I ask, what could I try, what can I try,
    which questions work, which questions can you answer, give me some examples, give me a
    hint what to ask, what are you good at, what are you good for, what are you bad at, what
    are you made for, what are your skills, what are your abilities, what are your talents,
    what is your use, how can you help, how can you help me, how do I use you, how do I use
    this bot, how do I talk to you, how does this bot work, what is this bot for, help, help
    please, I need help, I need some help, where do I start, what is too hard for you, what
    is beyond you, what can you not {do}, which topics do you know, what do you know, what
    have you learnt, any suggestions, what works here"""
)
DO = ["do", "do", "do", "answer", "tell", "handle", "offer", "explain", "show"]
BODY = entries(
    """breathe, dance, walk, drink, smile, cry, grow, cook, drive, work at night, watch TV, read
    books, play games, get hungry, have hobbies, have a car, have a boss, have a heart, have
    hands, have eyes, have children, have a soul, have plans, earn money, pay taxes, go out,
    know fear, hate anybody, hear my voice, see my face, smell coffee, touch things, feel
    the sun, read my mind, watch me, remember yesterday, need food, need air, get angry, get
    old, get sick, fall in love, believe in god, vote, travel, laugh, shout, whisper, like
    me, miss somebody, have secrets, want money, fear death, listen to music, wear clothes"""
)
FIRST = entries(
    """so, hey, excuse me, tell me, please, well, sorry, hm, ok, just curious, quick question,
    honestly, one thing, by the way, say, now, wait"""
)


def joined(g, *parts):
    """The parts that are not empty, with commas or without, and a mark at the end."""
    text = g.one([" ", ", ", ", ", "! ", ". "]).join(p for p in parts if p)
    if g.p(0.5):
        text = text[0].upper() + text[1:]
    return careless(g, text + g.one(["", "", "!", ".", "!!", " :)", "..."]))


def maybe(g, items, share=0.5):
    return g.one(items) if g.p(share) else ""


SLANG = entries(
    """sup, sup, wazzup, whazzup, wassup, what's good, what's new, oi, ahoy, aloha, hola, ciao,
    bonjour, g'day, hey hey hey, 'ello, hai there, heyyyy, yo yo, hi y'all, hey ya, what's
    cooking, top of the morning, hi hi hi, wotcha, alright mate, how goes it, how's it going"""
)


def mangled(g, word):
    """A greeting with a letter lost, doubled or swapped: hallo becomes helo or hlelo."""
    i = g.rng.randrange(1, len(word))
    x = g.one([word[i], word[i] * 3, "", ""])
    if not x and len(word) < 4 or word[i] == " ":
        x = word[i] * 2
    return word[:i] + x + word[i + 1 :]


def hello(g):
    if g.p(0.2):
        u = g.one(SLANG) if g.p(0.5) else mangled(g, g.one(HELLO))
        u += " " + g.one(WHOM) if g.p(0.25) else ""
        well = "I am fine, thank you. " if WELL.search(u) or "goes it" in u else ""
        u = (u[0].upper() if g.p(0.4) else u[0]) + u[1:] + g.one(["", "", "!", "?", "."])
        return u, R(f"Hello! {well}How can I help you?", "Hello!")
    whom = maybe(g, WHOM)
    first = g.one(HELLO) + (" " + whom if whom else "")
    then = maybe(g, AND, 0.6)
    u = joined(g, first, then + ("?" if then and g.p(0.5) else ""))
    well = "I am fine, thank you. " if WELL.search(u) else ""
    return u, R(f"Hello! {well}How can I help you?", "Hello!")


def thank(g):
    much = maybe(g, MUCH)
    text = g.one(THANK) + (" " + much if much else "")
    parts = [maybe(g, FINE[:12], 0.4), text] + ([g.one(PRAISE)] if g.p(0.3) else [])
    if g.p(0.2):
        parts.reverse()
    return joined(g, *parts), R("You are welcome!", "Welcome!")


def leave(g):
    parts = [maybe(g, FINE[:12], 0.4), maybe(g, LEAVE, 0.4), g.one(FAREWELL)]
    return joined(g, *parts), R("Goodbye! Come back soon.", "Goodbye!")


def fine(g):
    return joined(g, g.one(FINE), maybe(g, FINE, 0.35)), R("All right. What next?", "Fine.")


def about(g):
    r = g.rng.random()
    if r < 0.4:
        x = g.one(ABOUT)
    elif r < 0.6:
        x = f"{g.one(['are you', 'are u', 'is this', 'am I talking to'])} {g.one(NAMES)}"
        x += f" or {g.one(NAMES)}" if g.p(0.3) else ""
    elif r < 0.75:
        x = f"{g.one(['who', 'which company', 'which firm', 'what team'])} {g.one(MADE)} you"
    elif r < 0.9:
        x = f"{g.one(['what', 'which'])} {g.one(SORT)} {g.one(['are you', 'is this', 'do I use'])}"
    else:
        x = f"how {g.one(BIG)} {g.one(['are you', 'is this bot', 'are you really'])}"
    return asking(g, x), R(f"{ME} {PULL}", "Phi.")


def ability(g):
    return asking(g, g.one(WHAT_CAN).replace("{do}", g.one(DO))), R(HELP)


def body(g):
    ways = [
        "do you {}", "can you {}", "do you ever {}", "could you {}", "why do you not {}",
        "when do you {}"
    ]
    return asking(g, g.one(ways).format(g.one(BODY))), SELF


def asking(g, x):
    first = maybe(g, FIRST, 0.35)
    x = f"{first}{g.one([',', ''])} {x}" if first else x
    return careless(g, (x[0].upper() if g.p(0.5) else x[0]) + x[1:] + g.one(["?", "?", "?", ""]))


KINDS = [(hello, 5), (thank, 4), (leave, 4), (fine, 5), (about, 6), (ability, 4), (body, 4)]


def chatter(g, ctx):
    """Small talk, or a question about the model, and its reply."""
    fs, weights = zip(*KINDS)
    return g.rng.choices(fs, weights)[0](g)
