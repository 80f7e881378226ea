"""Compares Stoa's tokenizers and chat templates with the reference on texts generated from a seed:
tokens with special tokens parsed, texts of tokens with and without special ones, and prompts.

  pip install tokenizers==0.23.3 jinja2
  swift build -c release
  python Tools/golden/compare_tokenizers.py --seed 1 --count 5000 FOLDER...

Prints the first differences of each folder, and fails if there are any.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import unicodedata

from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer

PIECES = [
    "the ", "Teal", " 42", "7", "\n", "\n\n", "  ", "    ", "'s", "'LL", "'", "\u00df", "\u00e9",
    "e\u0301", "\u65e5\u672c", "\U0001f642", "\t", ".", " -", "/", "//\n", "\r\n", "\u00a0", "\u3000",
    "\u2028", "\u0085", "\u200b", "\ufeff", "\u0391\u0392\u03b3", "na\u00efve", "HTTPServer", "_", "\u0e01\u0e34",
    "\u017f", "'\u017f", "\u01c5", "\u02b0", "\u00bd", "\u2167", "\u0663", "\U0001f1eb", "\u200d", "\u2581", "\u0120",
    "\u10d0", "\u1c90", "\u0130", "\u212a", "\U00010400", "\U0001d7d8", "\u0000", "\u007f", "\U0010ffff",
    "<|", "|>", "<", ">", "|", "<s>", "</s>", "<unk>", "<0x0A>", "<0xC3>", "{{ x }}", "{% if %}",
    "let x = [1, 2].map { $0 }", "https://example.org/a?b=c", "Hyv\u00e4\u00e4 p\u00e4iv\u00e4\u00e4",
    "\u0645\u0631\u062d\u0628\u0627", "\u05e9\u05dc\u05d5\u05dd", "\u0939\u093f\u0928\u094d\u0926\u0940", "\ud55c\uad6d\uc5b4", "\u4f60\u597d\uff0c\u4e16\u754c",
]
ROLES = ["system", "user", "assistant", "user", "assistant", "tool", "developer"]


class Source:
    """Texts and conversations for one tokenizer."""

    def __init__(self, tokenizer, seed):
        self.random = random.Random(seed)
        self.specials = [token.content for token in tokenizer.get_added_tokens_decoder().values()]
        self.tokens = list(tokenizer.get_vocab())

    def scalar(self):
        """An assigned scalar of any script; implementations differ on unassigned ones."""
        while True:
            limit = self.random.choice([0x80, 0x800, 0x3000, 0xE000, 0x20000])
            character = chr(self.random.randrange(limit))
            if unicodedata.category(character) not in ("Cs", "Cn"):
                return character

    def part(self):
        kind = self.random.randrange(10)
        if kind < 4:
            return self.random.choice(PIECES)
        if kind < 6:
            special = self.random.choice(self.specials)
            cut = self.random.randrange(len(special) + 1)
            return self.random.choice([special, special, special[:cut], special[cut:]])
        if kind < 7:
            return self.random.choice(self.tokens)
        if kind < 8:
            letters = self.random.choice(["aeinst", "ACGT", "abcdefghijklmnopqrstuvwxyz", "=-"])
            long = "".join(self.random.choices(letters, k=self.random.randint(2, 300)))
            return self.random.choice([self.random.choice(PIECES) * self.random.randint(2, 40), long])
        return "".join(self.scalar() for _ in range(self.random.randint(1, 6)))

    def text(self, parts_max=14):
        return "".join(self.part() for _ in range(self.random.randint(0, parts_max)))

    def ids(self, limit):
        return [self.random.randrange(limit + 50) for _ in range(self.random.randint(0, 12))]

    def conversation(self):
        messages = []
        for _ in range(self.random.randint(1, 6)):
            message = {"role": self.random.choice(ROLES), "content": self.text(6)}
            if self.random.random() < 0.1:
                message["tools"] = self.random.choice(["", "[]", self.text(3)])
            messages.append(message)
        return messages


def answers(stoa, command, folder, inputs, *options):
    """The output of `stoa model COMMAND` for each of `inputs`."""
    run = subprocess.run(
        [stoa, "model", command, folder, *options], check=True, stdout=subprocess.PIPE,
        input="".join(json.dumps(value) + "\n" for value in inputs).encode())
    return [json.loads(line) for line in run.stdout.splitlines()]


def template(folder):
    """The folder's template and its variables."""
    with open(os.path.join(folder, "tokenizer_config.json")) as file:
        config = json.load(file)
    source = config.get("chat_template")
    path = os.path.join(folder, "chat_template.jinja")
    if os.path.exists(path):
        with open(path) as file:
            source = file.read()
    variables = {}
    for name in ("bos_token", "eos_token"):
        token = config.get(name) or ""
        variables[name] = token["content"] if isinstance(token, dict) else token
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(source), variables


def report(what, inputs, expected, found):
    """Prints the first differences; returns their number."""
    differences = [row for row in zip(inputs, expected, found) if row[1] != row[2]]
    if len(expected) != len(found):
        print(f"  {what}: {len(found)} answers to {len(expected)} questions")
        return 1
    for value, right, wrong in differences[:3]:
        print(f"  {what}: {json.dumps(value)}\n    reference {right!r}\n    stoa      {wrong!r}")
    print(f"  {what}: {len(inputs)} compared, {len(differences)} differ")
    return len(differences)


def compare(stoa, folder, seed, count):
    """The number of differences for the model in `folder`."""
    tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    source = Source(tokenizer, seed)
    texts = [source.text() for _ in range(count)]
    ids = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
    found = answers(stoa, "tokenize", folder, texts, "--parse-special")
    failures = report("tokens", texts, ids, found)

    ids += [source.ids(tokenizer.get_vocab_size()) for _ in range(count)]
    for option, skip in (("--keep-special", False), (None, True)):
        expected = [tokenizer.decode(row, skip_special_tokens=skip) for row in ids]
        found = answers(stoa, "detokenize", folder, ids, *filter(None, [option]))
        failures += report(f"text {option or ''}", ids, expected, found)

    chat_template, variables = template(folder)
    chats = [{"messages": source.conversation(), "add_generation_prompt": source.random.random() < 0.7}
             for _ in range(count)]
    prompts = [chat_template.render(**chat, **variables) for chat in chats]
    expected = [{"prompt": prompt, "ids": tokenizer.encode(prompt, add_special_tokens=False).ids}
                for prompt in prompts]
    found = answers(stoa, "render", folder, chats, "--parse-special")
    found = [{key: row[key] for key in ("prompt", "ids")} for row in found]
    return failures + report("prompts", chats, expected, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--stoa", default=".build/release/stoa")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--count", type=int, default=2000)
    options = parser.parse_args()
    print(f"seed {options.seed}")
    failures = 0
    for folder in options.folders:
        print(folder)
        failures += compare(options.stoa, folder, options.seed, options.count)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
