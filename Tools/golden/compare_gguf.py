"""Compares GGUF files in Stoa with llama.cpp: logits of random prompts, and tokens of texts.

  pip install llama-cpp-python numpy
  swift build -c release
  python Tools/golden/compare_gguf.py --seed 1 FILE.gguf...

llama.cpp rounds activations to 8 bits for quantized weights, and keys and values to float16; so
logits are compared by the relative error of all of them, and by the best one.
"""
import argparse
import ctypes
import json
import random
import subprocess
import sys

import llama_cpp
import numpy as np

TEXTS = [
    "the heat in the hat", " a  b   c", "Hello, World! 123\n\n\tok", "naïve café 日本語 🙂", "e\u0301",
    "<|user|>Hi<|end|><|assistant|>", "it's 42's 'LL x", "", " ", "\n", "▁the", "<s>the</s> a",
    "func f(_ x: Int) -> Int { x + 1 } // done\r\n", "Ünïcödé Straße ǅ ʰ", "    indented\n      more",
]


def answers(stoa, command, file, inputs, *options):
    run = subprocess.run(
        [stoa, "model", command, file, *options], check=True, stdout=subprocess.PIPE,
        input="".join(json.dumps(value) + "\n" for value in inputs).encode())
    return [json.loads(line) for line in run.stdout.splitlines()]


def compare_logits(options, file, model, rng):
    """The largest relative error."""
    count = model.n_vocab()
    prompts = [[rng.randrange(3, count) for _ in range(length)] for length in (1, 5, 17, 40)]
    rope = [] if options.rope is None else ["--rope", options.rope]
    exact = ["--exact"] if options.exact else []
    found = answers(options.stoa, "logits", file, prompts, *rope, *exact)
    worst, same = 0.0, 0
    for prompt, row in zip(prompts, found):
        model.reset()
        model.eval(prompt)
        pointer = llama_cpp.llama_get_logits_ith(model.ctx, -1)
        expected = np.array(ctypes.cast(pointer, ctypes.POINTER(ctypes.c_float * count)).contents)
        values = np.array(row["last"])
        error = np.sqrt(((values - expected) ** 2).mean() / (expected ** 2).mean())
        worst = max(worst, error)
        same += values.argmax() == expected.argmax()
    print(f"  logits: relative error {worst:.5f}, best token the same in {same} of {len(prompts)}")
    return worst


def compare_tokens(options, file, model, rng):
    """The number of texts with other tokens."""
    texts = TEXTS + ["".join(rng.choices(TEXTS, k=3)) for _ in range(options.count)]
    differences = 0
    for special in (False, True):
        flags = ["--parse-special"] if special else []
        found = answers(options.stoa, "tokenize", file, texts, *flags)
        for text, tokens in zip(texts, found):
            expected = model.tokenize(text.encode(), add_bos=False, special=special)
            if tokens != expected:
                differences += 1
                if differences <= 3:
                    print(f"  {text!r}\n    llama.cpp {expected}\n    stoa      {tokens}")
    print(f"  tokens: {2 * len(texts)} compared, {differences} differ")
    return differences


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--stoa", default=".build/release/stoa")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--count", type=int, default=200, help="texts to compare")
    parser.add_argument("--rope", choices=["short", "long"], help="LongRoPE's factors")
    parser.add_argument("--exact", action="store_true", help="activations in float32")
    parser.add_argument("--error", type=float, default=0.1, help="largest relative error")
    parser.add_argument("--vocabulary", action="store_true", help="the file has no weights")
    options = parser.parse_args()
    print(f"seed {options.seed}")
    rng = random.Random(options.seed)
    failures = 0
    for file in options.files:
        print(file)
        # llama.cpp chooses the factors by the context's length.
        length = 8192 if options.rope == "long" else 512
        model = llama_cpp.Llama(
            file, n_ctx=length, logits_all=False, verbose=False, n_threads=2,
            vocab_only=options.vocabulary)
        failures += compare_tokens(options, file, model, rng)
        if not options.vocabulary:
            failures += compare_logits(options, file, model, rng) > options.error
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
