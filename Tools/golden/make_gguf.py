#!/usr/bin/env python3
"""Writes tiny random models as GGUF files, each with its golden_logits.json. See README.md.

The values are reference.py's in float64, of the weights that the `gguf` package decodes. That package
quantizes to the older types; blocks of the K types are random bytes with fitting scales.
"""
import argparse
import shutil
from pathlib import Path

import gguf
import numpy as np
from gguf import quants

from reference import Reference
from sequences import LENGTHS, random_weights, sequence, write_sequences

T = gguf.GGMLQuantizationType
NAMES = {
    "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
    "self_attn.qkv_proj": "attn_qkv", "self_attn.o_proj": "attn_output",
    "mlp.gate_up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
}


def variants(rng):
    """name -> (configuration, vocabulary, types of modules by the ends of their names)."""
    plain = {
        "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 320,
        "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "max_position_embeddings": 4096,
        "original_max_position_embeddings": 4096, "rope_scaling": None,
        "tie_word_embeddings": False,
    }

    def long(pairs):
        return {
            "max_position_embeddings": 131072,
            "rope_scaling": {
                "type": "longrope",
                "short_factor": rng.uniform(1, 1.3, pairs).astype(np.float32).tolist(),
                "long_factor": np.sort(rng.uniform(1, 40, pairs)).astype(np.float32).tolist(),
            },
        }
    large = {**plain, "hidden_size": 256, "intermediate_size": 256, "num_hidden_layers": 1}
    return {
        "gguf-f32": (plain, "llama", {"": T.F32}),
        "gguf-f16": ({**plain, "tie_word_embeddings": True}, "gpt2", {"": T.F16}),
        "gguf-bf16-longrope": (
            {**plain, **long(6), "partial_rotary_factor": 0.75, "tie_word_embeddings": True},
            "gpt2", {"": T.BF16}),
        "gguf-q4_0": (plain, "llama", {
            "": T.Q4_0, "down_proj": T.Q4_1, "o_proj": T.Q5_0, "embed_tokens": T.Q5_1}),
        "gguf-q8_0-longrope": ({**plain, **long(8)}, "llama", {"": T.Q8_0}),
        "gguf-q4_k_m": ({**large, "tie_word_embeddings": True}, "gpt2", {
            "": T.Q4_K, "qkv_proj": T.Q5_K, "down_proj": T.Q6_K, "embed_tokens": T.Q6_K}),
    }


def halves(values):
    return values.astype(np.float16).view(np.uint8).reshape(-1, 2)


def random_blocks(rng, rows, columns, kind, gain):
    """Random blocks of a K type, whose weights have about this standard deviation."""
    size, count = gguf.GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (rows * columns // size, count), np.uint8)
    spread = rng.uniform(0.7, 1.4, len(blocks)) * gain
    if kind == T.Q6_K:
        blocks[:, -2:] = halves(spread / 1350)
    else:
        # Codes times scales, less minimums: both have means in the middle.
        middle = 7.5 if kind == T.Q4_K else 15.5
        blocks[:, 0:2] = halves(spread / (25 * middle))
        blocks[:, 2:4] = halves(spread / 25)
    return blocks.reshape(rows, -1)


def stored(rng, values, kind):
    """The matrix as it is stored, and the same decoded."""
    if kind in (T.Q4_K, T.Q5_K, T.Q6_K):
        data = random_blocks(rng, *values.shape, kind, values.std())
    else:
        data = quants.quantize(values.astype(np.float32), kind)
    return data, quants.dequantize(data, kind).astype(np.float64).reshape(values.shape)


def new_name(path):
    parts = path.split(".")
    if parts[:2] == ["model", "layers"]:
        return f"blk.{parts[2]}.{NAMES['.'.join(parts[3:])]}.weight"
    return f"{NAMES[path]}.weight"


def add_settings(writer, config):
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_rope_scaling_orig_ctx_len(config["original_max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    head = config["hidden_size"] // config["num_attention_heads"]
    writer.add_rope_dimension_count(int(head * config.get("partial_rotary_factor", 1)))
    writer.add_rope_freq_base(config["rope_theta"])
    writer.add_sliding_window(0)


def add_rope(writer, config):
    if not config["rope_scaling"]:
        return
    original = config["original_max_position_embeddings"]
    ratio = config["max_position_embeddings"] / original
    writer.add_rope_scaling_attn_factors(float(np.sqrt(1 + np.log(ratio) / np.log(original))))
    for kind in ("long", "short"):
        factors = np.array(config["rope_scaling"][kind + "_factor"], np.float32)
        writer.add_tensor(f"rope_factors_{kind}.weight", factors)


SPECIAL = ["<|endoftext|>", "<|assistant|>", "<|system|>", "<|user|>", "<|end|>"]


def llama_tokens():
    """The tokens of a SentencePiece vocabulary, with kinds and scores."""
    rows = [("<unk>", 2, 0.0), ("<s>", 3, 0.0), ("</s>", 3, 0.0)]
    rows += [(f"<0x{byte:02X}>", 6, 0.0) for byte in range(256)]
    pieces = ["▁t", "he", "▁the", "in", "er", "▁a", "on", "re", "▁▁", "at", "▁s", "en", "▁th", "▁h"]
    rows += [(piece, 1, -float(rank)) for rank, piece in enumerate(pieces)]
    characters = "▁etaoinshrdlucmfwyg"
    rows += [(c, 1, -float(len(pieces) + rank)) for rank, c in enumerate(characters)]
    return rows


def add_llama(writer, count):
    # llama.cpp knows by the name that special tokens take the white space after them.
    writer.add_name("Phi-3, tiny random weights")
    rows = llama_tokens()
    rows += [(text, 3, -1000.0) for text in SPECIAL]
    rows += [(f"[PAD{i}]", 5, -10000.0) for i in range(len(rows), count)]
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([row[0].encode() for row in rows])
    writer.add_token_scores([row[2] for row in rows])
    writer.add_token_types([row[1] for row in rows])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(len(llama_tokens()))
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(False)


def add_gpt2(writer, count):
    writer.add_name("Phi-4, tiny random weights")
    codes = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    alphabet = {byte: chr(byte) for byte in codes}
    for byte in range(256):
        alphabet.setdefault(byte, chr(256 + len(alphabet) - len(codes)))
    texts = [alphabet[byte] for byte in range(256)]
    pairs = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("i", "n"), ("e", "r"), ("Ġ", "a"), ("o", "n")]
    texts += ["".join(pair) for pair in pairs]
    kinds = [1] * len(texts) + [3] * len(SPECIAL)
    texts += SPECIAL
    texts += [f"[PAD{i}]" for i in range(len(texts), count)]
    kinds += [5] * (count - len(kinds))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("dbrx")
    writer.add_token_list([text.encode() for text in texts])
    writer.add_token_types(kinds)
    writer.add_token_merges([" ".join(pair) for pair in pairs])
    end = texts.index("<|endoftext|>")
    writer.add_bos_token_id(end)
    writer.add_eos_token_id(end)
    writer.add_add_bos_token(False)


def write_model(folder, config, vocabulary, types, rng):
    """Writes model.gguf; returns its model."""
    writer = gguf.GGUFWriter(str(folder / "model.gguf"), "phi3")
    add_settings(writer, config)
    (add_llama if vocabulary == "llama" else add_gpt2)(writer, config["vocab_size"])
    reference = Reference.__new__(Reference)
    reference.config, reference.weights = config, {}
    for name, values in random_weights(rng, config).items():
        path = name.removesuffix(".weight")
        kind = T.F32
        if values.ndim > 1:
            kind = types[max((e for e in types if path.endswith(e)), key=len)]
        data, decoded = stored(rng, values, kind)
        reference.weights[path] = decoded
        writer.add_tensor(new_name(path), data, raw_dtype=kind)
    add_rope(writer, config)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return reference


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="names of models")
    parser.add_argument("--tries", type=int, default=4, help="prompts to choose from")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    for name, (config, vocabulary, types) in variants(rng).items():
        if options.only and name not in options.only:
            continue
        folder = options.out / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        model = write_model(folder, config, vocabulary, types, rng)
        leads, entries = [], []
        for length in LENGTHS:
            for rope in ("short", "long") if config["rope_scaling"] else ("none",):
                lead, entry = sequence(
                    lambda tokens, rope=rope: model.logits(tokens, rope), rope, length,
                    config["vocab_size"], rng, options.tries)
                leads.append(lead)
                entries.append(entry)
        write_sequences(folder, entries)
        size = (folder / "model.gguf").stat().st_size
        spread = np.std(entries[-1]["logits_last"])
        print(f"{name}: {size // 1024} KiB, smallest lead {min(leads):.4f}, spread {spread:.2f}")


if __name__ == "__main__":
    main()
