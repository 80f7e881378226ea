"""Writes a small vocabulary in the format of tiktoken's files, made by its own trainer, and the tokens
that tiktoken makes of texts with it and with Phi-3-small's special tokens (tiktoken/,
tiktoken-tokens.jsonl).

  pip install tiktoken==0.14.0
  python Tests/TokenizersTests/Golden/make_tiktoken.py [cl100k_base.tiktoken TOKENS.jsonl]

With the name of another vocabulary writes the tokens of many more texts with that one.
"""
import base64
import json
import os
import random
import sys

import tiktoken
from tiktoken._educational import bpe_train

from make_goldens import HERE, PATTERNS, PIECES, SCALARS, TEXTS

# tokenization_phi3_small.py of microsoft/Phi-3-small-8k-instruct.
SPECIAL = {
    "<|dummy_id_2|>": 100256, "<|endoftext|>": 100257, "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260, "<|system|>": 100261, "<|user|>": 100262,
    "<|assistant|>": 100263, "<|dummy_id_0|>": 100264, "<|dummy_id_1|>": 100265, "<|end|>": 100266,
    "<|endofprompt|>": 100276,
} | {f"<|dummy_id_{i + 3}|>": 100267 + i for i in range(9)} \
  | {f"<|dummy_id_{i + 12}|>": 100277 + i for i in range(75)}

CONFIG = {
    "bos_token": "<|endoftext|>",
    "chat_template":
        "{{ bos_token }}{% for message in messages %}{{'<|' + message['role'] + '|>' + '\n' + "
        "message['content'] + '<|end|>\n' }}{% endfor %}{% if add_generation_prompt %}"
        "{{ '<|assistant|>\n' }}{% else %}{{ eos_token }}{% endif %}",
    "eos_token": "<|endoftext|>", "model_max_length": 8192,
    "tokenizer_class": "Phi3SmallTokenizer",
}


def trained(generator):
    """A vocabulary of 460 tokens, with halves of characters, digits and white space."""
    text = " ".join(TEXTS) + "".join(generator.choices(PIECES, k=3000)) + "    \n\n\t\t" * 40
    for token in SPECIAL:
        text = text.replace(token, " ")
    return bpe_train(text, 460, PATTERNS["cl100k"])


def main():
    generator = random.Random(53)
    if len(sys.argv) > 1:
        with open(sys.argv[1], "rb") as file:
            ranks = {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in file}
        path, count = sys.argv[2], 100_000
    else:
        ranks = trained(generator)
        folder = os.path.join(HERE, "tiktoken")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "cl100k_base.tiktoken"), "wb") as file:
            for token, rank in ranks.items():
                file.write(base64.b64encode(token) + b" %d\n" % rank)
        with open(os.path.join(folder, "tokenizer_config.json"), "w") as file:
            json.dump(CONFIG, file, indent=1)
            file.write("\n")
        path, count = os.path.join(HERE, "tiktoken-tokens.jsonl"), 150
    # The installed version's expression is written in another way.
    encoding = tiktoken.Encoding("phi3small", pat_str=PATTERNS["cl100k"], mergeable_ranks=ranks,
                                 special_tokens=SPECIAL)
    texts = TEXTS + ["".join(generator.choices(PIECES, k=generator.randint(2, 14)))
                     for _ in range(count // 2)]
    texts += ["".join(generator.choices(SCALARS, k=generator.randint(1, 24)))
              for _ in range(count // 2)]
    with open(path, "w") as file:
        for text in texts:
            ids = encoding.encode(text, allowed_special="all")
            plain = [token for token in ids if token not in SPECIAL.values()]
            file.write(json.dumps({
                "text": text, "ids": ids, "decoded": encoding.decode(ids),
                "decoded_skip_special": encoding.decode(plain)}) + "\n")


if __name__ == "__main__":
    main()
