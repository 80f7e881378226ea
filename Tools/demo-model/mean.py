"""The weighted mean of the weights of runs: often better than either, and no training.

  python mean.py --out mean both:0.65 styled:0.35     weights that add up to 1
"""

import argparse
import os

import torch


def parsed(text):
    run, _, share = text.rpartition(":")
    return run, float(share)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--out", required=True, help="folder of the new run")
    p.add_argument("runs", nargs="+", type=parsed, help="RUN:SHARE, a folder with model.pt and its share")
    a = p.parse_args()
    if abs(sum(share for _, share in a.runs) - 1) > 1e-6:
        p.error("the shares do not add up to 1")
    saved = [torch.load(f"{run}/model.pt") for run, _ in a.runs]
    mean = {
        name: sum(share * s["model"][name].float() for s, (_, share) in zip(saved, a.runs))
        for name in saved[0]["model"]
    }
    os.makedirs(a.out, exist_ok=True)
    torch.save({**saved[0], "model": mean}, f"{a.out}/model.pt")


if __name__ == "__main__":
    main()
