#!/usr/bin/env python3
"""Writes a checkpoint with a Phi model's real shape and random weights, for measurements: it loads and
generates like the real one, but the text is meaningless.

    python3 write_checkpoint.py phi-4-mini --out FOLDER [--tokenizer FOLDER] [--bits 4] [--group 64]
    python3 write_checkpoint.py phi-4-mini --out FOLDER --mode mxfp4

The files have mlx-lm's layout: the embedding and the head are quantized, too,
headers are not padded, shards end at 5 GB. The same seed writes the same bytes. The tokenizer's files
are copied from a folder of the real model, or else the demo model's: then it only generates the demo model's
tokens. Needs NumPy and about 100 MB of memory for any model size.
"""
import argparse
import json
import shutil
import struct
from pathlib import Path

import numpy as np

SHARD_BYTES = 5 << 30
DEMO_MODEL = Path(__file__).resolve().parents[2] / "Sources/BundledFiles/demo-model"
TOKENIZER_FILES = ["tokenizer.json", "tokenizer_config.json", "special_tokens_map.json",
                   "added_tokens.json", "generation_config.json", "chat_template.jinja"]

# Sizes and rotation of the models' cards; the factors differ from theirs but grow similarly.
MINI = dict(hidden_size=3072, intermediate_size=8192, num_hidden_layers=32,
            num_attention_heads=32, num_key_value_heads=32, vocab_size=32064,
            max_position_embeddings=131072, eos_token_id=32000, bos_token_id=1)
MODELS = {
    "phi-3-mini": {**MINI, "max_position_embeddings": 4096, "rope_scaling": None},
    "phi-3.5-mini": MINI,
    "phi-4-mini": {**MINI, "num_attention_heads": 24, "num_key_value_heads": 8,
                   "vocab_size": 200064, "partial_rotary_factor": 0.75,
                   "tie_word_embeddings": True, "eos_token_id": 199999, "bos_token_id": 199999},
    "phi-4": dict(hidden_size=5120, intermediate_size=17920, num_hidden_layers=40,
                  num_attention_heads=40, num_key_value_heads=10, vocab_size=100352,
                  max_position_embeddings=16384, rope_theta=250000, rope_scaling=None,
                  eos_token_id=100265, bos_token_id=100257),
}


# Bits and group size of the modes whose codes are floats, and the root of the mean square of these, if
# each is as frequent.
FLOAT_MODES = {"mxfp4": (4, 32, 2.93), "nvfp4": (4, 16, 2.93), "mxfp8": (8, 32, 133)}


def make_config(model, mode, bits, group):
    """config.json as mlx-lm writes it."""
    sizes = MODELS[model]
    pairs = 48
    long_rope = {
        "type": "longrope",
        "short_factor": [1.0] * pairs,
        "long_factor": [round(1 + 47 * (i / (pairs - 1)) ** 2, 4) for i in range(pairs)],
    }
    config = {
        "architectures": ["Phi3ForCausalLM"], "model_type": "phi3", "hidden_act": "silu",
        "attention_bias": False, "rms_norm_eps": 1e-05, "rope_theta": 10000.0,
        "rope_scaling": long_rope, "original_max_position_embeddings": 4096,
        "tie_word_embeddings": False, "torch_dtype": "bfloat16", **sizes}
    if bits < 16:
        quantization = {"group_size": group, "bits": bits, "mode": mode}
        config |= {"quantization": quantization, "quantization_config": quantization}
    return config


def modules(config):
    """(path, rows, columns) of each matrix, and (path, None, columns) of each norm."""
    hidden, middle = config["hidden_size"], config["intermediate_size"]
    head_size = hidden // config["num_attention_heads"]
    qkv = hidden + 2 * config["num_key_value_heads"] * head_size
    yield "model.embed_tokens", config["vocab_size"], hidden
    for index in range(config["num_hidden_layers"]):
        path = f"model.layers.{index}."
        yield path + "input_layernorm", None, hidden
        yield path + "self_attn.qkv_proj", qkv, hidden
        yield path + "self_attn.o_proj", hidden, hidden
        yield path + "post_attention_layernorm", None, hidden
        yield path + "mlp.gate_up_proj", 2 * middle, hidden
        yield path + "mlp.down_proj", hidden, middle
    yield "model.norm", None, hidden
    if not config["tie_word_embeddings"]:
        yield "lm_head", config["vocab_size"], hidden


class Source:
    """Random bytes that encode numbers near 1 / sqrt(columns), like trained weights."""

    def __init__(self, dtype, mode, bits, group, seed):
        self.dtype, self.mode, self.bits, self.group = dtype, mode, bits, group
        self.random = np.random.default_rng(seed)

    def tensors(self, path, rows, columns):
        """(name, dtype, shape, spread, centre) of a module's tensors; the spread of codes is 0."""
        if rows is None:
            return [(path + ".weight", self.dtype, [columns], 0.2, 1.0)]
        deviation = columns ** -0.5
        if self.bits == 16:
            return [(path + ".weight", self.dtype, [rows, columns], deviation, 0.0)]
        groups = [rows, columns // self.group]
        if self.mode in FLOAT_MODES:
            scale = deviation / FLOAT_MODES[self.mode][2]
            # An exponent, or a multiple of the smallest float of 8 bits.
            byte = scale * 2 ** 9 if self.mode == "nvfp4" else 127 + np.log2(scale)
            return [(path + ".weight", "U32", [rows, columns * self.bits // 32], 0, 0),
                    (path + ".scales", "U8", groups, 0, round(byte))]
        scale = 4 * deviation / 2 ** self.bits
        return [
            (path + ".weight", "U32", [rows, columns * self.bits // 32], 0, 0),
            (path + ".scales", self.dtype, groups, scale / 8, scale),
            (path + ".biases", self.dtype, groups, deviation / 8, -2 * deviation),
        ]

    def data(self, dtype, count, spread, centre):
        """The tensor's bytes, in pieces."""
        for start in range(0, count, 1 << 22):
            piece = min(count - start, 1 << 22)
            if dtype == "U32":
                yield self.codes(4 * piece)
                continue
            if dtype == "U8":
                yield bytes([centre]) * piece
                continue
            values = centre + spread * self.random.standard_normal(piece, np.float32)
            if dtype == "F16":
                yield values.astype(np.float16).tobytes()
            else:
                yield (values.view(np.uint32) >> 16).astype(np.uint16).tobytes()


    def codes(self, count):
        """Random bytes, none of which is NaN."""
        codes = np.frombuffer(self.random.bytes(count), np.uint8)
        if self.mode == "mxfp8":
            codes = codes - (codes & 127 == 127)
        return codes.tobytes()


def byte_count(tensor):
    _, dtype, shape, _, _ = tensor
    return int(np.prod(shape)) * {"U32": 4, "U8": 1}.get(dtype, 2)


def cut_into_shards(tensors):
    shards, size = [[]], 0
    for tensor in tensors:
        if size + byte_count(tensor) > SHARD_BYTES:
            shards.append([])
            size = 0
        shards[-1].append(tensor)
        size += byte_count(tensor)
    return shards


def write_shard(path, tensors, source):
    header, offset = {"__metadata__": {"format": "mlx"}}, 0
    for tensor in tensors:
        name, dtype, shape, _, _ = tensor
        end = offset + byte_count(tensor)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, dtype, shape, spread, centre in tensors:
            for piece in source.data(dtype, int(np.prod(shape)), spread, centre):
                file.write(piece)
    return offset


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--tokenizer", type=Path, default=DEMO_MODEL, help="a folder of the real model")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--mode", default="affine", choices=["affine", *FLOAT_MODES],
                        help="another one than affine has its own bits and group")
    parser.add_argument("--bits", type=int, default=4, choices=[2, 3, 4, 5, 6, 8, 16])
    parser.add_argument("--group", type=int, default=64, choices=[32, 64, 128])
    parser.add_argument("--dtype", default="BF16", choices=["BF16", "F16"])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.mode in FLOAT_MODES:
        options.bits, options.group, _ = FLOAT_MODES[options.mode]

    options.out.mkdir(parents=True)
    for name in TOKENIZER_FILES:
        if (options.tokenizer / name).exists():
            shutil.copy(options.tokenizer / name, options.out)
    config = make_config(options.model, options.mode, options.bits, options.group)
    (options.out / "config.json").write_text(json.dumps(config, indent=4) + "\n")

    source = Source(options.dtype, options.mode, options.bits, options.group, options.seed)
    shards = cut_into_shards([t for m in modules(config) for t in source.tensors(*m)])
    total, weight_map = 0, {}
    for index, tensors in enumerate(shards, 1):
        name = "model.safetensors"
        if len(shards) > 1:
            name = f"model-{index:05}-of-{len(shards):05}.safetensors"
        total += write_shard(options.out / name, tensors, source)
        weight_map |= {tensor[0]: name for tensor in tensors}
    index = {"metadata": {"total_size": total}, "weight_map": dict(sorted(weight_map.items()))}
    (options.out / "model.safetensors.index.json").write_text(json.dumps(index, indent=4) + "\n")
    print(f"{options.out}: {total} bytes of weights in {len(shards)} file(s)")


if __name__ == "__main__":
    main()
