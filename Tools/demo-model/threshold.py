"""Moves the point at which the model declines: how sure it must be before it tries.

  python threshold.py --run run --list                what shifts do to the tuning questions
  python threshold.py --run run --shift 1 --out run2  the run's weights, shifted

All refusals begin with the same token. A shift adds a constant to that token's logit wherever an
answer begins: the mean of the last hidden states there, scaled, is added to its row of the
embedding, which is the output matrix, too. Elsewhere the token is so unlikely that nothing changes.
"""

import argparse
import os

import torch

import lessons
from evaluate import from_run
from everyday import Known, answered, verdict
from heldout import questions
from tokenizer import encode_dialogues, render

DIALOGUES = 200  # whose answers' beginnings are averaged
SHIFTS = [0, 0.5, 1, 1.5, 2, 3, 4]


def refusal(tok):
    return tok.raw.encode("Sorry,", add_special_tokens=False).ids[0]


@torch.no_grad()
def beginning(m):
    """The mean of the hidden states from which the first tokens of answers are chosen."""
    source, found = lessons.stream(31, "everyday"), []
    for ids, _ in encode_dialogues(m.tok, [next(source) for _ in range(DIALOGUES)]):
        h = m.model.hidden(torch.tensor([ids]))[0]
        found += [h[i] for i, token in enumerate(ids) if token == m.tok.assistant]
    return torch.stack(found).mean(0)


def shift(m, mean, amount):
    """Adds `amount` to the logit of a refusal where an answer begins."""
    with torch.no_grad():
        m.model.model.embed_tokens.weight[refusal(m.tok)] += amount * mean / mean.dot(mean)


def table(m, mean):
    known, asked, before = Known(), questions(tuning=True), 0
    for amount in SHIFTS:
        shift(m, mean, amount - before)
        before, counts = amount, {}
        for q, a in zip(asked, answered(m, asked)):
            v = verdict(q, a, True, known)
            counts[v] = counts.get(v, 0) + 1
        tried = len(asked) - counts.get("declined", 0)
        share = 100 * counts.get("right", 0) / max(1, tried)
        print(f"{amount}: {counts}, right of the {tried} that it tried: {share:.1f} %", flush=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--run", required=True)
    ap.add_argument("--tokenizer", default="../../Sources/BundledFiles/demo-model/tokenizer.json")
    what = ap.add_mutually_exclusive_group(required=True)
    what.add_argument("--list", action="store_true")
    what.add_argument("--shift", type=float)
    ap.add_argument("--out", help="the folder of the shifted weights")
    args = ap.parse_args()
    m = from_run(args.run, 0, args.tokenizer)
    mean = beginning(m)
    if args.list:
        table(m, mean)
        return
    shift(m, mean, args.shift)
    saved = torch.load(os.path.join(args.run, "model.pt"))
    os.makedirs(args.out, exist_ok=True)
    torch.save({**saved, "model": m.model.state_dict()}, os.path.join(args.out, "model.pt"))


if __name__ == "__main__":
    main()
