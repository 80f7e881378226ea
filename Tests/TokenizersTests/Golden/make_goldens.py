"""Writes what the reference makes of texts with the demo model's tokenizer and chat template
(demo-*.jsonl), with a small tokenizer of Phi-3's kind that is made here (small/, small-*.jsonl), and
how it cuts texts into words by the known patterns (words.jsonl).

  pip install tokenizers==0.23.3 jinja2
  python Tests/TokenizersTests/Golden/make_goldens.py
"""
import json
import os
import random

from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Regex, Tokenizer, pre_tokenizers

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


PATTERNS = {
    "cl100k": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
              r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "o200k": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
             r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
             r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}"
             r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}
# What the patterns tell apart, so that random texts go through all their branches.
SCALARS = list("aZzK sStTrReEvVmMlLdD'''''   \n\n\r\t//.!_-12345") + [
    "\u017f", "\u212a", "\u01c5", "\u02b0", "\u05d0", "\u0301", "\u0e34", "\u20dd", "\u00bd", "\u2167",
    "\u0663", "\u00a0", "\u0085", "\u3000", "\u200b", "\ufeff", "\u2028", "\u4e2d", "\U0001f642",
    "\U00010400", "\U00010428", "\U0001d7d8", "\u00df", "\u0130", "\ua7dc", "\u1c89", "\u0378"]


def small_tokenizer():
    """Phi-3's kind: characters, bytes for those it lacks, "\u2581" for spaces."""
    texts = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    texts += list("\u2581abcdehlort.,!") + ["\u00e9", "\u4e2d"]
    merges = [("\u2581", "\u2581"), ("\u2581", "a"), ("h", "e"), ("l", "l"), ("\u2581", "t"), ("ll", "o"),
              ("he", "llo"), ("\u2581", "hello"), ("\u2581\u2581", "\u2581\u2581"), ("a", "b"), ("b", "c"),
              ("\u2581t", "he"), ("ab", "c"), ("a", "bc")]
    for left, right in merges:
        if left + right not in texts:
            texts.append(left + right)
    added = [("<unk>", False, True), ("<s>", False, True), ("</s>", True, False),
             ("<|user|>", True, True), ("<|end|>", True, True), ("<|assistant|>", True, True)]
    vocab = {text: number for number, text in enumerate(texts)}
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [
            {"id": vocab.get(text, len(texts) + number - 3), "content": text, "single_word": False,
             "lstrip": False, "rstrip": strip, "normalized": False, "special": special}
            for number, (text, strip, special) in enumerate(added)],
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "\u2581"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]},
        "pre_tokenizer": None, "post_processor": None,
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
            {"type": "ByteFallback"}, {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>",
                  "continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": True,
                  "byte_fallback": True, "vocab": vocab,
                  "merges": [f"{left} {right}" for left, right in merges]},
    }


def decoded(tokenizer, ids):
    return {"ids": ids, "decoded": tokenizer.decode(ids, skip_special_tokens=False),
            "decoded_skip_special": tokenizer.decode(ids, skip_special_tokens=True)}


def tokens(tokenizer, text):
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    return {"text": text} | decoded(tokenizer, ids)


def random_ids(tokenizer, generator, favoured):
    """Tokens as no text gives them, so that decoding meets ill-formed UTF-8."""
    count = generator.randint(1, 12)
    return [generator.choice(favoured) if generator.random() < 0.8
            else generator.randrange(tokenizer.get_vocab_size()) for _ in range(count)]


def words(name, text):
    split = pre_tokenizers.Split(Regex(PATTERNS[name]), behavior="isolated")
    return {"pattern": name, "text": text,
            "words": [word for word, _ in split.pre_tokenize_str(text)]}


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
    write("demo-tokens.jsonl", [tokens(TOKENIZER, text) for text in texts])
    # Byte-level: halves of characters are single letters of the alphabet beyond ASCII.
    halves = [TOKENIZER.token_to_id(chr(letter)) for letter in range(0xA1, 0x144)]
    halves = [token for token in halves if token is not None]
    write("demo-decodes.jsonl", [decoded(TOKENIZER, random_ids(TOKENIZER, generator, halves))
                                 for _ in range(150)])
    conversations = []
    for number in range(40):
        roles = [["system"], [], ["system", "tool"]][number % 3] + ["user", "assistant"] * 2
        conversations.append([
            {"role": role, "content": "".join(generator.choices(PIECES, k=generator.randint(0, 5)))}
            for role in roles[:generator.randint(1, len(roles))]])
    conversations += [[{"role": "user", "content": text}] for text in TEXTS[:20]]
    write("demo-chat.jsonl", [chat(c, n % 4 != 0) for n, c in enumerate(conversations)])

    os.makedirs(os.path.join(HERE, "small"), exist_ok=True)
    path = os.path.join(HERE, "small", "tokenizer.json")
    with open(path, "w") as file:
        json.dump(small_tokenizer(), file, indent=1, ensure_ascii=False)
        file.write("\n")
    small = Tokenizer.from_file(path)
    pieces = ["hello ", "the ", "abc", "a", "b", "c", "he", "llo", " ", "  ", "    ", "\n", "\u2581", "\u00e9",
              "\u4e2d", "\u6587", "\U0001f642", "<|user|>", "<|end|>", "</s>", "<s>", "<0x41>", "x", "!"]
    write("small-tokens.jsonl", [
        tokens(small, "".join(generator.choices(pieces, k=generator.randint(0, 12))))
        for _ in range(150)])
    byte_ids = [3 + byte for byte in (0x20, 0x41, 0xC3, 0xA9, 0xE4, 0xB8, 0xAD, 0xF0, 0x9F, 0x99, 0x82)]
    write("small-decodes.jsonl", [
        decoded(small, random_ids(small, generator, byte_ids + [259, 260])) for _ in range(150)])

    # More of them, with WORDS=20000, are worth a run after a change of the patterns.
    write("words.jsonl", [
        words(name, "".join(generator.choices(SCALARS, k=generator.randint(1, 24))))
        for name in PATTERNS for _ in range(int(os.environ.get("WORDS", "120")))])


if __name__ == "__main__":
    main()
