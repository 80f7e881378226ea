"""What users state about themselves, and ask for later."""

from paraphrases import R, T
from words import CITIES, THINGS, invented, long_word, person, thing

TELL_NAME = T(
    "My name is {v}.", "I am {v}.", "I'm {v}.", "Hi, I'm {v}!", "Call me {v}.",
    "Hello, my name is {v}.", "You can call me {v}.", "Hi there, this is {v}.",
    "People call me {v}.", "The name is {v}.", "Hey, I am {v}, nice to meet you.",
    "Please call me {v}.", "My friends call me {v}.", "Hello! I'm {v}.",
    "Let me introduce myself: I am {v}.", "They call me {v}.", "Good morning, I'm {v}.",
    "Hi! My name is {v}.", "{v} here.", "Hi, {v} here!", "It's me, {v}.", "I go by {v}.",
    "name's {v}", "my name's {v}", "I am {v}, hello.", "Hello from {v}!", "This is {v} speaking.",
    "You are talking to {v}.", "Just call me {v}.", "I'm {v}, who are you?"
)
FIX_NAME = T(
    "Actually, call me {v}.", "Actually my name is {v}.", "No, my name is {v}.",
    "Sorry, I meant {v}.", "Please call me {v} instead.", "actually call me {v}",
    "From now on call me {v}.", "I changed my name to {v}.", "Wait, my name is {v}.",
    "Correction: my name is {v}.", "I'd rather be called {v}.", "No wait, I am {v}."
)
ASK_NAME = T(
    "What is my name?", "What's my name?", "Do you remember my name?", "Who am I?",
    "Tell me my name.", "Can you tell me my name?", "Do you know my name?", "How am I called?",
    "whats my name", "Say my name.", "What did I say my name was?", "My name is what?",
    "What am I called?", "Which name did I give you?", "Remind me of my name.",
    "Do you still know my name?", "What was my name again?", "Have you forgotten my name?",
    "Did you forget my name?", "Have you noted my name?", "You have not forgotten my name?",
    "Could you tell me my name?", "Can you say my name?", "And my name is?", "My name is ...?",
    "And what is my name?", "My name, please?", "Do you recall my name?",
    "Do you remember who I am?", "Any idea what I'm called?", "So what's my name?",
    "Who is talking to you?", "What did I say I am called?", "Do you still know who I am?",
    "Which name is mine?", "Who did I say I was?"
)
TELL_CITY = T(
    "I live in {v}.", "I am from {v}.", "I come from {v}.", "My city is {v}.",
    "My home is in {v}.", "I'm living in {v}.", "I live in {v} now.", "My home town is {v}.",
    "I'm from {v}.", "My home is {v}.", "I was born in {v} and live there.", "I'm based in {v}.",
    "I am based in {v}.", "We are based in {v}.", "I have been living in {v}.",
    "I work and live in {v}.", "My flat is in {v}."
)
FIX_CITY = T(
    "Actually, I live in {v}.", "I moved to {v}.", "No, I live in {v}.", "I now live in {v}.",
    "Sorry, I meant {v}, I live in {v}.", "I have just moved to {v}.",
    "Correction: I live in {v}.", "My new home is {v}.", "Wait, I live in {v} now.",
    "I was wrong, I live in {v}.", "actually I'm from {v}", "No, my city is {v}."
)
ASK_CITY = T(
    "Where do I live?", "Which city do I live in?", "Where am I from?", "What is my city?",
    "Do you remember where I live?", "In which city do I live?", "Do you know where I live?",
    "Where is my home?", "Tell me where I live.", "What city am I from?", "where do i live",
    "Where did I say I live?", "Which place do I come from?", "Which town do I live in?",
    "What is my home town?", "Where do I come from?", "What town is my home?",
    "In which town is my home?", "What's the city I live in?"
)
TELL = T(
    "My {k} is {v}.", "Remember that my {k} is {v}.", "{v} is my {k}.", "My {k}: {v}.",
    "By the way, my {k} is {v}.", "You should know that my {k} is {v}.",
    "Please remember: my {k} is {v}.", "Did you know that my {k} is {v}?",
    "I want you to know my {k} is {v}.", "Note that my {k} is {v}.",
    "Just so you know, my {k} is {v}.", "Keep in mind that my {k} is {v}."
)
TELL_CALLED = T(
    "My {w} is called {v}.", "I have a {w} called {v}.", "I have a {w} named {v}.",
    "My {w} is named {v}.", "The name of my {w} is {v}.", "We call my {w} {v}.",
    "I call my {w} {v}.", "{v} is the name of my {w}.", "My {w}'s called {v}.",
    "My {w} goes by the name {v}.", "I've got a {w} called {v}.", "{v} is what my {w} is called."
)
ASK_CALLED = T(
    "What is my {w} called?", "What is the name of my {w}?", "How is my {w} called?",
    "What do I call my {w}?", "the name of my {w}?", "Do you know the name of my {w}?",
    "what is my {w} named?", "Tell me the name of my {w}.", "Which name has my {w}?",
    "What was the name of my {w}?", "Who is my {w}?", "Do you remember what my {w} is called?"
)
TELL_AGE = T(
    "I am {v} years old.", "I'm {v} years old.", "I am {v}.", "I turned {v} this year.",
    "I'm already {v} years old.", "I will stay {v} for a while, that is my age."
)
ASK_AGE = T(
    "How old am I?", "What is my age?", "Do you know how old I am?", "my age?",
    "Tell me how old I am.", "Which age am I?"
)
ASK_BEST = T(
    "Which {w} do I like best?", "What {w} do I like?", "Which {w} is my favourite?",
    "What is the {w} I like best?", "Which {w} do I love?", "What {w} do I like best?",
    "Do you know which {w} I like?", "Which is the {w} that I like?"
)
ASK_JOB = T(
    "What do I do for a living?", "What do I work as?", "Where do I earn my money?",
    "As what do I work?", "Which work do I do?", "What is my work?", "Do you know what I work as?",
    "What am I by trade?"
)
TELL_LIKE = T(
    "I like {v} best of all {ks}.", "I love {v}, it is my {k}.", "The {k} I have is {v}.",
    "If you ask for my {k}: {v}.", "Well, {v} is my {k}.", "My {k} has always been {v}.",
    "My {k} has been {v} for years.", "{v} has always been my {k}.", "It has to be {v}, my {k}.",
    "For me {v} is the best, it is my {k}.", "My {k} was always {v}."
)
TELL_JOB = T(
    "I am a {v}.", "I work as a {v}.", "I'm a {v}.", "I am working as a {v}.",
    "I earn my living as a {v}.", "My work: I'm a {v}.", "I am a {v} by trade.",
    "My job: I am a {v}.", "They pay me as a {v}.", "I have a job as a {v}.",
    "I earn money as a {v}.", "At work I am a {v}."
)
FIX = T(
    "Actually, my {k} is {v}.", "No, my {k} is {v}.", "Sorry, my {k} is {v}.",
    "Correction: my {k} is {v}.", "I changed my mind: my {k} is {v}.", "Wait, my {k} is {v} now.",
    "actually my {k} is {v}", "My {k} is now {v}.", "I was wrong, my {k} is {v}.",
    "My new {k} is {v}."
)
ASK = T(
    "What is my {k}?", "What's my {k}?", "Do you remember my {k}?", "Tell me my {k}.",
    "Do you know my {k}?", "Can you tell me my {k}?", "what was my {k} again?",
    "Remind me: what is my {k}?", "My {k}?", "Which {k} did I tell you?",
    "What did I say my {k} is?", "Could you remind me of my {k}?", "whats my {k}",
    "Do you still know my {k}?", "What did I tell you about my {k}?", "Say my {k}.", "And my {k}?",
    "Have I told you my {k}?", "Could you tell me my {k}?", "Could you say my {k}?",
    "Have you noted my {k}?", "Please remind me of my {k}.", "Have I ever told you my {k}?"
)
ASK_ALL = T(
    "What do you know about me?", "Tell me what you know about me.",
    "What have I told you about me?", "Summarize what you know about me.",
    "What do you remember about me?", "Who am I and what do you know about me?",
    "What did I tell you about me?", "Say what you know about me.", "What do you know of me?",
    "List what you know about me.", "Everything you know about me, please.",
    "Tell me all that you know about me.", "Who am I, and what else do you know?",
    "Tell me all you know about me.", "All that you know about me?",
    "And what do you know about me?", "What do you know about me now?"
)
ASK_FIRST = T(
    "What was my first message?", "What did I say first?", "What was the first thing I said?",
    "Repeat my first message.", "What was the first thing I wrote?",
    "How did I begin this conversation?", "What did I write first?", "Say my first message.",
    "How did I begin?", "What did I tell you first?", "My first message was what?",
    "Which was my first message?", "How did I start this conversation?",
    "How did our conversation begin?", "What was my first message in this conversation?",
    "How did this conversation begin?", "With what did I begin?"
)
ASK_LAST = T(
    "What did I just say?", "Repeat my last message.", "What was my last message?",
    "What did I say before this?", "What was the previous thing I said?",
    "What did I write just now?", "What did I say just now?", "Say my last message.",
    "What did I write before this?", "My last message was what?",
    "What was the last thing I said?", "What did I tell you just now?"
)


def town(g):
    """A city: a real one, or an invented name, which may be long."""
    return long_word(g.rng) if g.p(0.4) else g.one(CITIES)


def told_name(v):
    return R(f"Nice to meet you, {v}!", "Hello!", f"Enchanté, {v} !", f"Hauska tavata, {v}!", [v])


def is_name(v):
    return R(f"Your name is {v}.", v, f"Vous vous appelez {v}.", f"Nimesi on {v}.", [v])


NOT_TOLD = ["not told me"]


def unknown(k):
    return R(
        f"You have not told me your {k} yet.",
        "Unknown.",
        "Vous ne me l'avez pas dit.",
        "Et ole kertonut sitä.",
        NOT_TOLD,
    )


class Memory(dict):
    """The statements of one user, in order."""

    def reply(self, k):
        v = self.get(k)
        if v is None:
            return unknown("city" if k == "city" else k)
        if k == "name":
            return is_name(v)
        if k == "city":
            return R(f"You live in {v}.", v, f"Vous habitez à {v}.", f"Asut täällä: {v}.", [v])
        return R(f"Your {k} is {v}.", v, None, None, [v])


def tell(g, mem, k=None, fix=False):
    """One statement of the user, and the answer to it."""
    k = k or g.rng.choice(["name", "name", "city", "thing", "thing", "thing"])
    k = thing(g) if k == "thing" else k
    if k == "name":
        v = person(g)
        u = g.say(FIX_NAME if fix else TELL_NAME, v=v)
        r = (
            R(f"All right, I will call you {v}.", "Done.", f"D'accord, {v} !", f"Selvä, {v}!", [v])
            if fix
            else told_name(v)
        )
    elif k == "city":
        v = town(g)
        u = g.say(FIX_CITY if fix else TELL_CITY, v=v)
        r = R(f"Noted: you live in {v}.", "Noted.", f"Noté : {v}.", f"Selvä: {v}.", [v])
    else:
        v = THINGS[k](g)
        if fix:
            u = g.say(FIX, k=k, v=v)
        elif k == "job" and g.p(0.5):
            u = g.say(TELL_JOB, v=v)
        elif k.endswith("'s name") and g.p(0.6):
            u = g.say(TELL_CALLED, w=k.removesuffix("'s name"), v=v)
        elif k == "age" and g.p(0.6):
            u = g.say(TELL_AGE, v=v)
        elif k.startswith("favourite") and g.p(0.2):
            u = g.say(TELL_LIKE, k=k, v=v, ks=k.split()[1] + "s")
        else:
            u = g.say(TELL, k=k, v=v)
        r = R(f"Noted: your {k} is {v}.", "Noted.", f"Noté : {v}.", f"Selvä: {v}.", [v])
    mem.pop(k, None)
    mem[k] = v
    return u, r


def ask(g, mem, k=None):
    if k is None:
        k = (
            g.rng.choice(list(mem))
            if mem and g.p(0.8)
            else g.rng.choice(["name", "city", thing(g)])
        )
    return question(g, k), mem.reply(k)


def question(g, k):
    """A question about `k`."""
    if k == "name":
        return g.say(ASK_NAME)
    if k == "city":
        return g.say(ASK_CITY)
    if k.endswith("'s name") and g.p(0.6):
        return g.say(ASK_CALLED, w=k.removesuffix("'s name"))
    if k == "age" and g.p(0.6):
        return g.say(ASK_AGE)
    if k == "job" and g.p(0.3):
        return g.say(ASK_JOB)
    if k.startswith("favourite") and g.p(0.25):
        return g.say(ASK_BEST, w=k.removeprefix("favourite "))
    return g.say(ASK, k=k)


def ask_all(g, mem):
    facts = [mem.reply(k).text for k in list(mem)[:3]]
    return g.say(ASK_ALL), R(
        " ".join(facts) or "You have not told me anything about you yet.",
        None,
        None,
        None,
        list(mem.values())[:3] or NOT_TOLD,
    )


TELL_TWO = T(
    "My name is {n} and my {k} is {v}.", "I am {n} and my {k} is {v}.",
    "I'm {n}, and my {k} is {v}.", "Hi, I'm {n}. My {k} is {v}.",
    "Hello, my name is {n} and my {k} is {v}.", "Call me {n}; my {k} is {v}.",
    "My name is {n}, my {k} is {v}.", "I am called {n} and my {k} is {v}.",
    "My name: {n}. My {k}: {v}.", "People call me {n}, and my {k} is {v}.",
    "I'm {n}; my {k} is {v}.", "Call me {n}. My {k} is {v}.", "The name is {n} and my {k} is {v}."
)
TELL_TWO_CITY = T(
    "My name is {n} and I live in {v}.", "I am {n} and I live in {v}.", "I'm {n} from {v}.",
    "Hi, I'm {n} from {v}!", "Hello, I am {n} and I come from {v}.", "I'm {n} and I'm from {v}.",
    "My name is {n}, I live in {v}.", "My name is {n} and my city is {v}.",
    "Call me {n}, I live in {v}.", "People call me {n} and I am from {v}.",
    "I'm {n} and my home is in {v}.", "I'm called {n} and I live in {v}."
)
ASK_TWO = T(
    "What is my {a} and my {b}?", "What is my {a}, and what is my {b}?",
    "Tell me my {a} and my {b}.", "Do you remember my {a} and my {b}?",
    "What are my {a} and my {b}?", "Do you know my {a} and {b}?", "What is my {a} and {b}?",
    "Can you tell me my {a} and my {b}?", "Do you still know my {a} and my {b}?",
    "My {a} and my {b}?", "Say my {a} and my {b}.", "What was my {a} and what was my {b}?",
    "And my {a} and {b}?", "What are my {a} and {b}?", "Tell me my {a} and {b}.",
    "Remind me of my {a} and my {b}."
)


def tell_two(g, mem):
    """Name and something else in one message."""
    n, k = person(g), "city" if g.p(0.4) else thing(g)
    v = town(g) if k == "city" else THINGS[k](g)
    u = g.say(TELL_TWO_CITY, n=n, v=v) if k == "city" else g.say(TELL_TWO, n=n, k=k, v=v)
    for a, b in (("name", n), (k, v)):
        mem.pop(a, None)
        mem[a] = b
    said = f"you live in {v}" if k == "city" else f"your {k} is {v}"
    return u, R(
        f"Nice to meet you, {n}! Noted: {said}.",
        "Noted.",
        f"Enchanté, {n} !",
        f"Hauska tavata, {n}!",
        [n, v],
    )


def ask_two(g, mem):
    a, b = g.rng.sample(list(mem), 2)
    if "name" in mem and g.p(0.5):
        a, b = "name", g.rng.choice([k for k in mem if k != "name"])
    return g.say(ASK_TWO, a=a, b=b), R(
        f"{mem.reply(a).text} {mem.reply(b).text}", key=[mem[a], mem[b]]
    )
