#!/usr/bin/env python3
"""Writes tiny random models as mlx-lm stores them, each with its golden_logits.json: a list of
{rope, input_ids, logits_last, logits_first8, logits_argmax, greedy_24}. See README.md."""
import argparse
import json
import shutil
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import mlx_lm.utils as mlx_utils
import numpy as np
from mlx.utils import tree_flatten, tree_map
from mlx_lm.models.cache import make_prompt_cache

import families
from family_reference import FamilyReference
from reference import Reference
from sequences import BLOCK_LENGTHS, CLEAR_CHOICE, LENGTHS, random_weights, sequence, write_sequences
from variants import float_modes, variants


def parameters(choice):
    """mlx-lm's parameters of a module's quantization."""
    modes = {"mxfp4": (4, 32), "nvfp4": (4, 16), "mxfp8": (8, 32)}
    bits, group_size = modes.get(choice, choice)
    return {"bits": bits, "group_size": group_size, "mode": choice if choice in modes else "affine"}


def predicate(quantization):
    """mlx-lm's callback for each module: its quantization, or False."""
    def scheme(path, _module):
        endings = [e for e in quantization if path.endswith(e)]
        choice = quantization[max(endings, key=len)]
        if choice == quantization[""]:
            return True
        return choice and parameters(choice)
    return scheme


def spread(count):
    """Replaces mlx-lm's make_shards, which splits at 5 GB."""
    def make_shards(weights, max_file_size_gb=None):
        names = list(weights)
        return [{n: weights[n] for n in names[i::count]} for i in range(count)]
    return make_shards


def age(folder, style):
    """Rewrites config.json in the style of other versions of mlx-lm."""
    config = json.loads((folder / "config.json").read_text())
    if style == "old":  # early mlx-lm: no mode, no second block, no index
        config.pop("quantization_config")
        config["quantization"].pop("mode")
        (folder / "model.safetensors.index.json").unlink()
    elif style == "new":  # transformers 5: all about rotation in one place
        rope = config.pop("rope_scaling")
        rope["rope_type"] = rope.pop("type")
        rope["rope_theta"] = config.pop("rope_theta")
        rope["original_max_position_embeddings"] = config.pop("original_max_position_embeddings")
        config["rope_parameters"] = rope
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")


def write_checkpoint(folder, variant, rng):
    """Writes the model's files; returns the model."""
    config = {**variant.config, "torch_dtype": variant.dtype}
    model_class, arguments = mlx_utils._get_classes(config)
    model = model_class(arguments.from_dict(config))
    dtype = getattr(mx, variant.dtype)
    if config["model_type"] == "phi3":
        weights = random_weights(rng, config)
    else:
        shapes = dict(tree_flatten(model.parameters()))
        weights = families.random_weights(rng, shapes)
    model.load_weights([(name, mx.array(array).astype(dtype)) for name, array in weights.items()])
    if variant.quantization:
        model, config = mlx_utils.quantize_model(
            model, config, **parameters(variant.quantization[""]),
            quant_predicate=predicate(variant.quantization))
    mlx_utils.make_shards = spread(variant.shards)
    mlx_utils.save_model(folder, model)
    mlx_utils.save_config(config, config_path=folder / "config.json")
    age(folder, variant.style)
    return model


def float32(model):
    """The model with everything unquantized in float32."""
    def convert(array):
        return array.astype(mx.float32) if mx.issubdtype(array.dtype, mx.floating) else array
    model.update(tree_map(convert, model.parameters()))
    return model


def keep_float32():
    """Embeddings whose codes are floats are decoded to bfloat16, which is exact; but then all
    activations that follow would be bfloat16, too."""
    decode = nn.QuantizedEmbedding.__call__
    nn.QuantizedEmbedding.__call__ = lambda self, x: decode(self, x).astype(mx.float32)


def golden(folder, variant, model, rng, tries):
    """All sequences of a model; fails if mlx-lm and the reference disagree."""
    is_phi3 = variant.config["model_type"] == "phi3"
    reference = (Reference if is_phi3 else FamilyReference)(folder, variant.config)
    is_sparse = variant.config["model_type"] == "phi3small"
    worst = 0

    def by_mlx(tokens):
        nonlocal worst
        if is_sparse:
            # Token by token: mlx-lm counts blocks from the prompt's end while it reads a prompt.
            cache = make_prompt_cache(model)
            rows = [model(mx.array([[token]]), cache=cache)[0] for token in tokens]
            values = np.array(mx.concatenate(rows)).astype(np.float64)
        else:
            values = np.array(model(mx.array([tokens]))[0]).astype(np.float64)
        error = abs(values - reference.logits(tokens, "long")).max()
        if reference.closest_choice > CLEAR_CHOICE:
            worst = max(worst, error)
        return values

    def by_reference(tokens):
        return reference.logits(tokens, "short")

    sources = {"none": by_mlx}
    if variant.config.get("rope_scaling"):
        sources = {"short": by_reference, "long": by_mlx}
    results = [
        sequence(logits, rope, length, variant.config["vocab_size"], rng, tries,
                 reference)
        for length in (BLOCK_LENGTHS if is_sparse else LENGTHS) for rope, logits in sources.items()]
    assert worst < 1e-3, f"{folder}: mlx-lm and the reference differ by {worst}"
    return min(lead for lead, _ in results), worst, [entry for _, entry in results]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="names of variants")
    parser.add_argument("--tries", type=int, default=4, help="prompts to choose from")
    options = parser.parse_args()
    mx.set_default_device(mx.cpu)
    keep_float32()
    rng = np.random.default_rng(options.seed)
    # Numbers of their own, so that a seed gives the same models of phi3 as ever.
    other_rng = np.random.default_rng([options.seed, 1])
    mode_rng = np.random.default_rng([options.seed, 2])
    others = families.families(other_rng)
    models = [(rng, entry) for entry in variants(rng).items()] + [
        (other_rng, entry) for entry in others.items()] + [
        (mode_rng, entry) for entry in float_modes(others).items()]
    for rng, (name, variant) in models:
        if options.only and name not in options.only:
            continue
        folder = options.out / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        model = float32(write_checkpoint(folder, variant, rng))
        if variant.config["model_type"] == "phi3small":
            # The rows that it hides are beyond those of a small vocabulary.
            model._dummy_tokenizer_ids = mx.array([], dtype=mx.int32)
        lead, worst, entries = golden(folder, variant, model, rng, options.tries)
        write_sequences(folder, entries)
        size = sum(f.stat().st_size for f in folder.iterdir())
        print(f"{name}: {size // 1024} KiB, smallest lead {lead:.4f}, "
              f"mlx-lm and reference within {worst:.1e}", flush=True)


if __name__ == "__main__":
    main()
