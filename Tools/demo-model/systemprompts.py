"""System prompts that set a style or state something, and the answers that follow them."""

from facts import DAYS
from paraphrases import R, T, cap
from stylewords import composed
from wordplay import SHORT
from words import FOODS, invented, number, person

PLAIN = T(
    "You are a helpful assistant.", "You are a helpful AI assistant.",
    "You are a friendly assistant.", "Be helpful.", "You are Stoa's assistant.",
    "You are a kind and helpful assistant.", "Be brief and helpful.",
    "You are a helpful assistant. Be concise.", "You help a team with its work.", "Answer kindly.",
    "You are an assistant.", "You help people.", "Help the user.", "You are a good assistant.",
    "Be kind and brief."
)
STYLES = {
    "upper": T(
        "Answer in upper case.", "Always answer in upper case.", "Write in capital letters.",
        "ANSWER IN UPPER CASE.", "Use only capital letters.", "Reply in upper case.",
        "Answer in capitals.", "Answer in all caps.", "Reply only in capitals.",
        "All your answers are in upper case.", "Write everything in capital letters.",
        "You write in upper case only.", "Use upper case.", "Please answer in upper case.",
        "Shout: use capital letters only.", "Please reply in capital letters.",
        "You always reply in upper case.", "ALWAYS USE CAPITALS.", "USE UPPER CASE.",
        "WRITE IN CAPITALS.", "ONLY CAPITALS, PLEASE.", "Capitals only.",
        "REPLY IN CAPITAL LETTERS.", "Upper case only, please.", "ALWAYS ANSWER IN CAPITALS.",
        "ALWAYS WRITE IN UPPER CASE."
    ),
    "pirate": T(
        "You are a pirate.", "Talk like a pirate.", "Answer like a pirate.",
        "You are a friendly pirate.", "Speak as a pirate does.", "Reply like a pirate.",
        "Be a pirate.", "You are an old pirate.", "You are a pirate captain.",
        "Always talk like a pirate.", "You speak like a pirate.", "Please answer like a pirate.",
        "Reply as a pirate would.", "Pretend to be a pirate.", "You reply like a pirate.",
        "Act like a pirate.", "Your answers sound like a pirate's.", "Always reply as a pirate."
    ),
    "one": T(
        "Answer in one word.", "Answer with one word.", "Use one word only.",
        "Reply with a single word.", "Always answer in one word.", "Give one-word answers.",
        "One word answers only.", "Reply in one word.", "One word per answer.",
        "Use a single word.", "Your answers have one word.", "Give answers of one word.",
        "Only one word, please.", "Please reply in one word.", "Each answer is one word.",
        "You give one-word answers.", "Say one word only.", "Never use more than one word.",
        "Never say more than one word.", "No more than one word.",
        "Not more than one word, please.", "Always use one word.", "Just one word.",
        "One word, please.", "Answers of one word only.", "Your answer is one word.",
        "Keep it to one word.", "Do not use more than one word."
    ),
    "fr": T(
        "Answer in French.", "Always answer in French.", "Reply in French.", "Speak French.",
        "You answer in French.", "Please answer in French.", "Only speak French.",
        "Write in French.", "Use French.", "Reply only in French.", "Answer everything in French.",
        "French only, please.", "You speak French.", "Please reply in French.",
        "Always reply in French.", "All answers are in French.", "Please speak French.",
        "You only speak French.", "Only French, please.", "French, please.", "Nothing but French.",
        "French answers only.", "In French, please.", "Answers in French only.", "French only."
    ),
    "fi": T(
        "Answer in Finnish.", "Always answer in Finnish.", "Reply in Finnish.", "Speak Finnish.",
        "You answer in Finnish.", "Please answer in Finnish.", "Only speak Finnish.",
        "Write in Finnish.", "Use Finnish.", "Reply only in Finnish.",
        "Answer everything in Finnish.", "Finnish only, please.", "You speak Finnish.",
        "Please reply in Finnish.", "Always reply in Finnish.", "All answers are in Finnish.",
        "Please speak Finnish.", "You only speak Finnish.", "Only Finnish, please.",
        "Finnish, please.", "Nothing but Finnish.", "Finnish answers only.", "In Finnish, please.",
        "Answers in Finnish only.", "Finnish only."
    ),
    "end": T(
        "End every answer with {w}.", "Always end with {w}.", "End each answer with the word {w}.",
        "Finish every answer with {w}.", "Your answers end with {w}.",
        "Close every answer with {w}.", "The last word of every answer is {w}.",
        "Every answer ends with {w}.", "Your last word is always {w}.",
        "Close each answer with the word {w}.", "Always close with {w}.",
        "Finish each answer with {w}.", "Put {w} at the end of every answer.",
        "Please end every answer with {w}.", "Say {w} at the end of each answer.",
        "All your answers close with {w}.", "End with {w}.", "Finish with the word {w}.",
        "End with the word {w}.", "Finish with {w}.", "Close with the word {w}.",
        "Your answer ends with the word {w}.", "Finish all answers with {w}."
    ),
    "start": T(
        "Start every answer with {w}.", "Always start with {w}.",
        "Begin each answer with the word {w}.", "Begin every answer with {w}.",
        "Your answers start with {w}.", "Open every answer with {w}.",
        "The first word of every answer is {w}.", "Every answer starts with {w}.",
        "Your first word is always {w}.", "Open each answer with the word {w}.",
        "Always open with {w}.", "Start each answer with {w}.",
        "Put {w} at the start of every answer.", "Please start every answer with {w}.",
        "Say {w} at the start of each answer.", "All your answers open with {w}.",
        "Start with {w}.", "Begin with the word {w}.", "Start with the word {w}.",
        "Begin with {w}.", "Your answer begins with the word {w}.", "Open with the word {w}.",
        "Begin all answers with {w}."
    ),
}
NAMED = T(
    "Your name is {v}.", "You are {v}.", "You are called {v}.", "You are an assistant named {v}.",
    "Your name is {v}, a helpful assistant.", "You go by the name {v}.",
    "You are {v}, a helpful assistant.", "Call yourself {v}.", "The users call you {v}.",
    "You answer to the name {v}.", "Everybody calls you {v}.", "Be {v}.", "Your name: {v}.",
    "You have the name {v}.", "The name you go by is {v}.", "Know that your name is {v}.",
    "You are known as {v}.", "I call you {v}."
)
USER_NAMED = T(
    "The user's name is {v}.", "The user is called {v}.", "You are talking to {v}.",
    "You talk with {v}.", "The name of the user is {v}.", "Your user is named {v}.",
    "The user is {v}.", "Know that the user is called {v}.", "The person you talk to is {v}.",
    "{v} is talking to you.", "{v} is the user's name."
)
KEYS = [
    "secret word",
    "wifi password",
    "meeting room",
    "door code",
    "project name",
    "release day",
    "room number",
    "team name",
    "magic number",
    "code word",
    "phone number",
    "lunch today",
]
SYS_KV = T(
    "The {k} is {v}.", "The {k} is {v}. Tell it when asked.",
    "The {k} is {v}; tell it when asked.", "Remember: the {k} is {v}.",
    "If asked, say that the {k} is {v}.", "Know that the {k} is {v}.", "{k}: {v}.",
    "Please know that the {k} is {v}.", "Note: the {k} is {v}.", "You know that the {k} is {v}.",
    "The {k} of the team is {v}.", "Everybody may know that the {k} is {v}."
)
ASK_KV = T(
    "What is the {k}?", "What's the {k}?", "Tell me the {k}.", "Do you know the {k}?", "the {k}?",
    "Can you tell me the {k}?", "Please tell me the {k}.", "whats the {k}", "I need the {k}.",
    "Which is the {k}?", "Give me the {k}.", "Could you give me the {k}?", "And the {k}?",
    "What was the {k}?", "Say the {k}.", "May I know the {k}?", "Remind me of the {k}.",
    "Do you remember the {k}?", "Could you tell me the {k}?", "Could I have the {k}?",
    "Could you say the {k}?", "Please give me the {k}.", "Do you still remember the {k}?"
)


def styled(ctx, r):
    """The reply in the style of the system prompt; None: this kind of reply does not fit the style."""
    s, w = ctx.get("style"), ctx.get("word")
    if s is None:
        return r.text
    if s == "upper":
        return r.text.upper() if len(r.text) < 140 and "`" not in r.text else None
    if s == "pirate":
        return (
            f"Arr! {r.text} Yo ho ho, matey!" if len(r.text) < 200 and "\n" not in r.text else None
        )
    if s == "end":
        return f"{r.text} {w}" if len(r.text) < 200 and "\n" not in r.text else None
    if s == "start":
        return f"{w} {r.text}" if len(r.text) < 200 and "\n" not in r.text else None
    return getattr(r, s)


def system_prompt(g, style=None):
    """(text or None, ctx): ctx describes the prompt's instructions."""
    ctx, parts = {"kv": {}}, []
    if style is None:
        style = g.rng.choice(
            ["none"] * 9
            + [
                "upper",
                "pirate",
                "one",
                "fr",
                "fi",
                "end",
                "start",
                "name",
                "name",
                "kv",
                "kv",
                "user",
                "mix",
                "mix",
            ]
        )
    if style == "none":
        return (None if g.p(0.5) else g.one(PLAIN)), ctx
    kinds = (
        g.rng.sample(["upper", "pirate", "one", "name", "kv", "user", "kv", "name"], 2)
        if style == "mix"
        else [style]
    )
    if g.p(0.25):
        parts.append(g.one(PLAIN))
    for s in kinds:
        if s in STYLES:
            if "style" in ctx:
                continue
            ctx["style"], ctx["word"] = s, invented(g.rng) if g.p(0.5) else cap(g.one(SHORT))
            new = g.split == "train" and g.p(0.6)
            prompt = composed(g, s, STYLES[s].test) if new else g.one(STYLES[s])
            parts.append(prompt.format(w=ctx["word"]))
        elif s == "name" and "me" not in ctx:
            ctx["me"] = person(g)
            parts.append(g.one(NAMED).format(v=ctx["me"]))
        elif s == "user" and "name" not in ctx:
            ctx["name"] = person(g)
            parts.append(g.one(USER_NAMED).format(v=ctx["name"]))
        elif s == "kv":
            k = "secret word" if g.p(0.4) else g.one(KEYS)
            if k in ctx["kv"]:
                continue
            v = (
                number(g)
                if "number" in k or "code" == k[-4:]
                else (
                    g.one(DAYS)
                    if "day" in k and "lunch" not in k
                    else (
                        g.one(FOODS)
                        if "lunch" in k
                        else invented(g.rng).lower() if g.p(0.6) else g.one(SHORT)
                    )
                )
            )
            ctx["kv"][k] = v
            parts.append(cap(g.one(SYS_KV).format(k=k, v=v)))
    return " ".join(parts), ctx


def ask_kv(g, ctx):
    k = g.rng.choice(list(ctx["kv"])) if ctx["kv"] and g.p(0.85) else g.one(KEYS)
    v = ctx["kv"].get(k)
    if v is None:
        return g.say(ASK_KV, k=k), R(
            f"I was not told the {k}.",
            "Unknown.",
            "Je ne le sais pas.",
            "En tiedä sitä.",
            ["not told"],
        )
    return g.say(ASK_KV, k=k), R(f"The {k} is {v}.", v, None, None, [v])
