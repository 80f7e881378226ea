"""Everyday questions that people type into a new chat, and the rating of the model's answers.

  python everyday.py --folder weights                  the 300 held-out questions
  python everyday.py --run run --bits 8 --show      a training run, with every answer
  python everyday.py --folder weights --tuning         the questions that may guide training
  python everyday.py --overlap 40000                   whether the corpus contains any of the questions

A line of everyday.jsonl is {"kind", "turns", "right"?, "beyond"?}: the user's turns, of which the
last one's answer is rated, and regular expressions that a right answer must match. Without
"right" the model must decline; "beyond" marks what it may try, but need not.

An answer is one of: right, declined (it says that it cannot), wrong (tried and failed, or not an answer to
this question), gibberish (repeats itself, has words that neither the corpus nor the question
contains, is empty, does not end, or notes a value that the user did not state).
"""

import argparse
import re
from collections import Counter

from heldout import HeldOut, questions
from lessons import stream

DECLINED = re.compile(r"\b(tiny demo model|not told (me|the)|do not know)\b", re.I)
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
VERDICTS = ["right", "declined", "wrong", "gibberish"]
# The results of the previously published weights, trained on the corpus before beyond.py.
FORMER = (
    "Sorry, that is too hard for me: I am only a tiny demo model. Ask your administrator for a "
    "real Phi: `stoa model pull phi-4-mini`."
)
LONGEST = 300  # tokens; an answer this long has not ended


def words(text):
    return [w.lower() for w in WORD.findall(text)]


class Known:
    """The words that the assistant says in training, and the pairs of neighbours among them."""

    def __init__(self, dialogues=20000):
        self.words, self.pairs, source = set(), set(), stream(11, "everyday")
        self.add(FORMER)
        for _ in range(dialogues):
            for role, text in next(source):
                if role == "assistant":
                    self.add(text)

    def add(self, text):
        w = words(text)
        self.words.update(w)
        self.pairs.update(zip(w, w[1:]))

    def holds(self, text, said):
        """Whether each word, and each pair without a word of the user's, is known."""
        w, own = words(text), set(words(said))
        return all(x in self.words or x in own for x in w) and all(
            pair in self.pairs or own.intersection(pair) for pair in zip(w, w[1:])
        )


def loops(text):
    """The same one to six words three times in a row."""
    w = words(text)
    return any(
        w[i : i + n] == w[i + n : i + 2 * n] == w[i + 2 * n : i + 3 * n]
        for n in range(1, 7)
        for i in range(len(w) - 3 * n + 1)
    )


def copies(turn, text):
    """Whether a noted value was never stated as one: "your dog is dog", "your name is nice"."""
    noted = re.search(r"\byour ([\w' ]+?) is ([\w' -]+)", text)
    if not noted:
        return False
    key, value = words(noted[1]), words(noted[2])
    return not value or value[-1] in key or not set(value) <= set(words(turn))


def verdict(question, answer, ended, known):
    said, text = " ".join(question["turns"]), answer.strip()
    letters = "-" in text and all(len(x) == 1 for x in text.split("-"))
    if not text or not ended or loops(text) or copies(said, text):
        return "gibberish"
    if not letters and not known.holds(text, said):
        return "gibberish"
    if all(re.search(k, text, re.I) for k in question.get("right", ["(?!)"])):
        return "right"
    return "declined" if DECLINED.search(text) else "wrong"


def answered(m, asked):
    """The last answers; those of the turns before are the model's own."""
    dialogues = [[] for _ in asked]
    for turn in range(max(len(q["turns"]) for q in asked)):
        now = [i for i, q in enumerate(asked) if turn < len(q["turns"])]
        for i in now:
            dialogues[i].append(("user", asked[i]["turns"][turn]))
        for i, a in zip(now, m.answers([dialogues[i] for i in now])):
            dialogues[i].append(("assistant", a))
    return [d[-1][1] for d in dialogues]


def judge(m, asked, show):
    known, table = Known(), {}
    for q, a in zip(asked, answered(m, asked)):
        ended = len(m.tok.raw.encode(a, add_special_tokens=False).ids) < LONGEST
        v = verdict(q, a, ended, known)
        table.setdefault(q["kind"], Counter())[v] += 1
        wanted = "right" if "right" in q else "declined"
        if show or v in ("wrong", "gibberish"):
            mark = "" if v == wanted else "  <-- " + wanted if not q.get("beyond") else ""
            print(f"{v:9} | {' || '.join(q['turns'])}\n          > {a!r}{mark}", flush=True)
    report(table, asked)


def report(table, asked):
    total = sum(table.values(), Counter())
    print("| questions | n | " + " | ".join(VERDICTS) + " |\n|---|---:|" + "---:|" * 4)
    for kind in sorted(table):
        row = " | ".join(str(table[kind][v]) for v in VERDICTS)
        print(f"| {kind} | {sum(table[kind].values())} | {row} |")
    row = " | ".join(f"{100 * total[v] / len(asked):.1f} %" for v in VERDICTS)
    tried = len(asked) - total["declined"]
    print(f"| **all** | {len(asked)} | {row} |")
    print(f"right of the {tried} that it tried: {100 * total['right'] / max(1, tried):.1f} %")


def overlap(dialogues):
    """Prints the held-out questions in the corpus: none, since lessons.py leaves them out."""
    held, found, source = HeldOut(), {}, stream(12, "everyday")
    for _ in range(dialogues):
        for role, text in next(source):
            question = held.like(text) if role == "user" else None
            if question:
                found[question] = text
    for question, text in found.items():
        print(f"{question!r} is nearly {text!r}")
    print(f"{len(found)} of {len(held.asked)} questions are in the corpus")


def main():
    ap = argparse.ArgumentParser()
    which = ap.add_mutually_exclusive_group(required=True)
    which.add_argument("--run")
    which.add_argument("--folder")
    which.add_argument("--overlap", type=int, metavar="DIALOGUES")
    ap.add_argument(
        "--bits", type=int, default=0, choices=[0, 4, 8], help="--run with weights in so many bits"
    )
    ap.add_argument("--tuning", action="store_true", help="the questions for tuning instead")
    ap.add_argument("--tokenizer", default="../../Sources/BundledFiles/demo-model/tokenizer.json")
    ap.add_argument("--show", action="store_true", help="every answer, not only the bad ones")
    args = ap.parse_args()
    if args.overlap:
        overlap(args.overlap)
        return
    from evaluate import from_folder, from_run  # needs torch; the overlap does not

    m = (
        from_folder(args.folder)
        if args.folder
        else from_run(args.run, args.bits, args.tokenizer)
    )
    judge(m, questions(args.tuning), args.show)


if __name__ == "__main__":
    main()
