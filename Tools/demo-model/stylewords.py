"""System prompts for a style, put together from parts; none is one of the held-out prompts.

The lists of systemprompts.py are whole sentences, a few dozen for each style. A model that saw only
those ignores a prompt that it never saw.
"""

import re

FIRST = ["", "", "", "always ", "please ", "only ", "you ", "you always ", "from now on, ",
         "in this chat, ", "please always ", "whatever they ask, "]
VERBS = ["answer", "reply", "respond", "write", "speak", "talk", "answer everything",
         "write everything", "say everything", "give all answers", "answer every question",
         "write each answer", "answer me", "answer the user", "type"]
AFTER = ["", "", "", ", please", " please", ", always", " from now on", " all the time",
         ", whatever they ask", ", no exceptions", " every time", " at all times"]
CAPITALS = ["upper case", "capital letters", "capitals", "all caps", "uppercase",
            "upper-case letters", "block capitals", "big letters", "caps"]
EACH = ["every answer", "each answer", "all answers", "your answers", "every reply",
        "each message", "all that you say", "everything you say", "any answer", "each reply"]
WORD = ["{w}", "{w}", "{w}", "the word {w}", "the word {w}", '"{w}"', "'{w}'"]


def manner(g, how):
    """An order to answer in some way: "Please always reply in capitals"."""
    return g.one(FIRST) + g.one(VERBS) + " " + how


def upper(g):
    x = g.one(CAPITALS)
    return g.one([
        manner(g, g.one(["in ", "in ", "with ", "using "]) + x + g.one(["", " only"])),
        x + g.one([" only", " always", " for everything", " in all answers", " and nothing else"]),
        f"{g.one(['use', 'only use', 'write', 'type', 'please use'])} "
        f"{g.one(['only ', 'nothing but ', 'just ', ''])}{x}",
        f"no {g.one(['lower case', 'small letters', 'lowercase'])}, {g.one(['only', 'just'])} {x}",
        f"{g.one(['never use', 'do not use', 'avoid'])} {g.one(['lower case', 'small letters'])}",
        f"your {g.one(['answers are', 'text is', 'replies are'])} {g.one(['', 'always '])}in {x}",
        f"{g.one(['shout', 'shout everything', 'you shout'])}: {g.one(['use ', 'only ', ''])}{x}",
    ])


def pirate(g):
    who = g.one(["", "old ", "brave ", "funny ", "real ", "grumpy ", "young "]) + g.one(
        ["pirate", "pirate", "pirate captain", "sea pirate"])
    who = ("an " if who[0] == "o" else "a ") + who
    return g.one([
        manner(g, g.one(["like ", "as ", "in the voice of ", "in the style of "]) + who),
        g.one(["you are ", "be ", "act as ", "play ", "imagine you are ", "pretend that you are ",
               "your role: ", "you play ", "sound like ", "you talk like "]) + who,
        g.one(["talk pirate", "use pirate language", "pirate talk only", "pirate style",
               "answer the way pirates do", "you are no assistant but a pirate"]),
    ])


def single(g):
    x = g.one(["one word", "a single word", "just one word", "exactly one word", "only one word"])
    return g.one([
        manner(g, g.one(["in ", "with ", "using "]) + x),
        g.one(["use ", "say ", "write ", "give ", "answer: "]) + x,
        g.one(["one word", "a single word", "one-word answers", "single-word answers"])
        + g.one([" only", " each time", " and no more", " for every answer", ", nothing else"]),
        g.one(["never ", "do not "]) + g.one(["use", "write", "say", "give"])
        + g.one([" more than one word", " two words", " whole sentences"]),
        f"your {g.one(['answers', 'replies'])} {g.one(['are', 'have', 'consist of'])} {x}",
        g.one(["be brief: ", "keep it short: ", "no sentences: "]) + x,
    ])


def language(name):
    def f(g):
        return g.one([
            manner(g, g.one(["in ", "only in ", "always in "]) + name),
            g.one(["speak ", "talk ", "use ", "write ", "you speak ", "you write "])
            + g.one(["only ", "nothing but ", ""]) + name,
            name + g.one([" only", " always", " in all answers", " answers", " and nothing else"]),
            g.one(["no English, only ", "not English but ", "everything in ", "all in ",
                   "your language is ", "the user speaks ", "the chat is in "]) + name,
            f"your {g.one(['answers', 'replies'])} are {g.one(['', 'always '])}in {name}",
        ])

    return f


def edge(verbs, place, at, order):
    """A word at the start or the end of the answers."""

    def f(g):
        w, x = g.one(WORD), g.one(EACH)
        one = g.one(["every answer", "each answer", "every reply", "each message", "any answer"])
        verb = g.one(verbs)
        return g.one([
            f"{g.one(FIRST)}{verb} {x} with {w}",
            f"{g.one(FIRST)}{verb} {x} with {w}",
            f"{g.one(FIRST)}{verb} with {w}",
            f"{one} {verb}s with {w}",
            f"{one} {g.one(['must', 'has to', 'should', 'shall'])} {verb} with {w}",
            f"the {place} word of {one} {g.one(['is', 'must be', 'has to be'])} {w}",
            f"your {place} word {g.one(['is', 'is always', 'must be', 'has to be'])} {w}",
            f"{g.one(['put', 'say', 'write', 'add', 'use', 'place'])} {w} {g.one(at)} {one}",
            g.one(order).format(w=w),
        ])

    return f


PARTS = {
    "upper": upper,
    "pirate": pirate,
    "one": single,
    "fr": language("French"),
    "fi": language("Finnish"),
    "start": edge(
        ["start", "begin", "open"],
        "first",
        ["at the start of", "before", "in front of", "at the beginning of"],
        ["first say {w}, then answer", "say {w} first", "{w} comes first, then the answer"],
    ),
    "end": edge(
        ["end", "finish", "close"],
        "last",
        ["at the end of", "after", "behind", "at the very end of"],
        ["first answer, then say {w}", "say {w} last", "{w} comes last, after the answer"],
    ),
}


def plain(text):
    return " ".join(re.findall(r"[\w{}]+", text.lower()))


def composed(g, style, held):
    """A prompt for a style with {w} for its word; `held` are the ones that must not come."""
    held = {plain(x) for x in held}
    while True:
        x = PARTS[style](g) + g.one(AFTER)
        if plain(x) not in held:
            break
    r = g.rng.random()
    if r < (0.3 if style == "upper" else 0.08):
        x = x.upper().replace("{W}", "{w}")
    elif r < 0.85:
        x = x[0].upper() + x[1:] if x[0] != "{" else x
    return x + g.one([".", ".", ".", "!", ""])
