"""Writes demo-tokens.jsonl and demo-chat.jsonl: what the reference makes of texts with the demo
model's tokenizer and chat template.

  pip install tokenizers==0.23.3 jinja2
  python Tests/TokenizersTests/Golden/make_goldens.py
"""
import json
import os
import random

from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(HERE, "../../../Sources/BundledFiles/demo-model")
TOKENIZER = Tokenizer.from_file(os.path.join(MODEL, "tokenizer.json"))

TEXTS = [
    "", " ", "  ", "\n", " \n", "\n ", "\r\n\r\n", "\t\tx", "a  b", "a \n b", "  a", "a  ",
    "My favourite colour is teal.", "What is my favourite colour?", "Hello, how are you?",
    "I'm sure they'll say we've been what you'd call SHE'S, it'ſ don'T", "'s 'll 'r 'lx ''",
    "1", "12", "123", "1234567890", "3.14159", "½ Ⅷ ١٢٣٤ ৪২", "x1y22z333",
    "Hyvää päivää, mitä kuuluu?", "আমি বাংলায় কথা বলি।", "İstanbul ıI", "Ελληνικά", "Selamat pagi",
    "你好，世界！", "こんにちは、元気？", "한국어", "مرحبا كيف حالك؟", "שלום", "हिन्दी में", "ภาษาไทย",
    "e\u0301 \u0301 a\u0301\u0302b \u0301x", "ǅ ǆ Ǆ ʰa ªº", "🙂👩‍👩‍👧‍👦🇫🇮👋🏽", "\u200b\ufeff\u00ad",
    "\u00a0x\u3000y\u2028z\u0085", "\u0000\u0001\u007f", "\U00010400\U00010428 \U000e0100",
    "let x = [1, 2, 3].map { $0 * 2 } // twice\n\treturn x\n", "{\"a\": [null, true]}",
    "https://example.org/a/b?c=d&e=%20#f", "a/b//c\n///\n", "!!!\n\n\n???\r\n", "...   \n   ...",
    "<|user|>", "<|user|>\n", "<|user|> \n\t\u3000Hi<|end|>\n<|assistant|>\n", "x <|end|> y",
    "<|end|", "<<|end|>>", "<|endoftext|> <|endoftext|>\n", "<|end|><|end|>  ", "|>", "<|",
    "<|system|>\u00a0\u2003a", "<|endoftext|>\nHi", "<|End|>", "< |end|>",
]
PIECES = ["the ", "Teal", " 42", "7", "\n", "  ", "'s", "'", "ß", "é", "e\u0301", "日本", "🙂", "\t",
          "<|user|>", "<|end|>", "<|endoftext|>", "<|", "|>", ".", " -", "/", "\r\n", "\u00a0", "ΑΒγ",
          "naïve", "HTTPServer", "_", "\u0e01\u0e34", "ſ", "ǅ", "½", "\U0001f1eb", "\u200d"]


def tokens(text):
    ids = TOKENIZER.encode(text, add_special_tokens=False).ids
    return {"text": text, "ids": ids,
            "decoded": TOKENIZER.decode(ids, skip_special_tokens=False),
            "decoded_skip_special": TOKENIZER.decode(ids, skip_special_tokens=True)}


def render(messages, generate):
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    with open(os.path.join(MODEL, "tokenizer_config.json")) as file:
        config = json.load(file)
    template = environment.from_string(config["chat_template"])
    return template.render(messages=messages, add_generation_prompt=generate,
                           bos_token=config["bos_token"], eos_token=config["eos_token"])


def chat(messages, generate):
    prompt = render(messages, generate)
    return {"messages": messages, "add_generation_prompt": generate, "prompt": prompt,
            "ids": TOKENIZER.encode(prompt, add_special_tokens=False).ids}


def write(name, rows):
    with open(os.path.join(HERE, name), "w") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")


def main():
    generator = random.Random(7)
    texts = TEXTS + ["".join(generator.choices(PIECES, k=generator.randint(2, 14)))
                     for _ in range(120)]
    write("demo-tokens.jsonl", map(tokens, texts))
    conversations = []
    for number in range(40):
        roles = [["system"], [], ["system", "tool"]][number % 3] + ["user", "assistant"] * 2
        conversations.append([
            {"role": role, "content": "".join(generator.choices(PIECES, k=generator.randint(0, 5)))}
            for role in roles[:generator.randint(1, len(roles))]])
    conversations += [[{"role": "user", "content": text}] for text in TEXTS[:20]]
    write("demo-chat.jsonl", [chat(c, n % 4 != 0) for n, c in enumerate(conversations)])


main()
