#!/usr/bin/env python3
"""Writes random LoRA adapters of the tiny models, in mlx-lm's format with its own functions and in
PEFT's, each in a folder BASE+NAME with a golden_logits.json of the model with the adapter. See README.md."""
import argparse
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.tuner.utils import linear_to_lora_layers, load_adapters
from mlx_lm.utils import load_model

from family_reference import FamilyReference
from make_golden import float32
from reference import Reference
from sequences import BLOCK_LENGTHS, CLEAR_CHOICE, sequence, write_sequences

LENGTHS = [1, 29]


@dataclass
class Adapter:
    """An adapter: paths in a layer, or in the model, and the rank of each."""
    rank: int
    dtype: str = "float32"
    keys: list | None = None
    layers: int = -1
    # PEFT only.
    ranks: dict | None = None
    alphas: dict | None = None
    rank_stabilized: bool = False


PHI3 = ["self_attn.qkv_proj", "self_attn.o_proj", "mlp.gate_up_proj", "mlp.down_proj"]
SEPARATE = ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"]

# Ranks that no kernel's width divides are among them.
ADAPTERS = {
    "tiny-phi3-4bit+mlx": Adapter(3),
    "tiny-phi4-bf16+mlx": Adapter(
        17, "float16", ["self_attn.qkv_proj", "mlp.down_proj", "lm_head"], layers=1),
    "phi-4bit+mlx": Adapter(5, keys=[*SEPARATE, "self_attn.dense", "mlp.fc1", "mlp.fc2"]),
    "phimoe-4bit+mlx": Adapter(
        2, keys=[*SEPARATE, "self_attn.o_proj", "block_sparse_moe.gate"]),
    "phi3small-4bit+mlx": Adapter(
        9, "bfloat16", ["self_attn.query_key_value", "self_attn.dense", "mlp.up_proj"]),
    "tiny-phi3-8bit-g32+peft": Adapter(8, keys=PHI3[:2]),
    "tiny-phi4mini-4bit+peft": Adapter(
        4, "bfloat16", PHI3, rank_stabilized=True, ranks={"mlp.down_proj": 7, "qkv_proj": 1},
        alphas={"layers.0.mlp.gate_up_proj": 3}),
    "phi-bf16+peft": Adapter(6, keys=["self_attn.v_proj", "mlp.fc2"]),
}


def first_match(pattern, path, standard):
    """PEFT's value of a module, for names without regular expressions."""
    return next((value for name, value in (pattern or {}).items()
                 if path == name or path.endswith("." + name)), standard)


def changed_paths(model, adapter):
    """The paths of the modules that the adapter changes."""
    return sorted(
        path for path, module in model.named_modules() if hasattr(module, "weight")
        and any(path == key or path.endswith("." + key) for key in adapter.keys))


def draw(rng, inputs, outputs, rank, scale):
    """Both matrices, [inputs, rank] and [rank, outputs]; the change is as large as the outputs."""
    down = rng.normal(0, inputs ** -0.5, (inputs, rank))
    up = rng.normal(0, 0.7 / abs(scale) / rank ** 0.5, (rank, outputs))
    return down, up


def stored(array, dtype):
    return mx.array(array.astype(np.float32)).astype(getattr(mx, dtype))


def exactly(array):
    return np.array(array.astype(mx.float32)).astype(np.float64)


def write_mlx(folder, model, adapter, rng):
    """The files as mlx_lm.lora writes them; returns path -> change of the weights."""
    parameters = {"rank": adapter.rank, "scale": float(rng.uniform(1, 20)), "dropout": 0.0}
    if adapter.keys:
        parameters["keys"] = adapter.keys
    config = {"fine_tune_type": "lora", "num_layers": adapter.layers, "batch_size": 4,
              "lora_parameters": parameters, "optimizer": "adam", "seed": 0}
    (folder / "adapter_config.json").write_text(json.dumps(config, indent=1) + "\n")
    linear_to_lora_layers(model, adapter.layers, parameters)
    shapes = {name.rsplit(".", 1)[0]: {} for name, _ in tree_flatten(model.parameters())
              if name.endswith((".lora_a", ".lora_b"))}
    for name, array in tree_flatten(model.parameters()):
        path, _, kind = name.rpartition(".")
        if path in shapes and kind in ("lora_a", "lora_b"):
            shapes[path][kind] = array.shape
    weights, changes = {}, {}
    for path, sizes in shapes.items():
        # Experts, whose adapters Stoa does not know, are not among the keys.
        down, up = draw(rng, sizes["lora_a"][0], sizes["lora_b"][1], adapter.rank,
                        parameters["scale"])
        a, b = stored(down, adapter.dtype), stored(up, adapter.dtype)
        weights[path + ".lora_a"], weights[path + ".lora_b"] = a, b
        changes[path] = parameters["scale"] * (exactly(a) @ exactly(b)).T
    mx.save_safetensors(str(folder / "adapters.safetensors"), weights)
    return changes


def write_peft(folder, model, adapter, rng, shapes):
    """The files as PEFT's save_pretrained writes them; returns path -> change of the weights."""
    alpha = 2 * adapter.rank
    names = sorted({key.rpartition(".")[2] for key in adapter.keys})
    config = {
        "alpha_pattern": adapter.alphas or {}, "auto_mapping": None,
        "base_model_name_or_path": "tiny", "bias": "none", "fan_in_fan_out": False,
        "inference_mode": True, "init_lora_weights": True, "layer_replication": None,
        "layers_pattern": None, "layers_to_transform": None, "loftq_config": {},
        "lora_alpha": alpha, "lora_bias": False, "lora_dropout": 0.05, "megatron_config": None,
        "megatron_core": "megatron.core", "modules_to_save": None, "peft_type": "LORA",
        "r": adapter.rank, "rank_pattern": adapter.ranks or {}, "revision": None,
        "target_modules": names, "task_type": "CAUSAL_LM", "use_dora": False,
        "use_rslora": adapter.rank_stabilized}
    (folder / "adapter_config.json").write_text(json.dumps(config, indent=1) + "\n")
    weights, changes = {}, {}
    for path in changed_paths(model, adapter):
        rank = first_match(adapter.ranks, path, adapter.rank)
        own_alpha = first_match(adapter.alphas, path, alpha)
        scale = own_alpha / (rank ** 0.5 if adapter.rank_stabilized else rank)
        outputs, inputs = shapes[path]
        down, up = draw(rng, inputs, outputs, rank, scale)
        a, b = stored(down.T, adapter.dtype), stored(up.T, adapter.dtype)
        prefix = "base_model.model." + path
        weights[prefix + ".lora_A.weight"], weights[prefix + ".lora_B.weight"] = a, b
        changes[path] = scale * exactly(b) @ exactly(a)
    mx.save_safetensors(str(folder / "adapter_model.safetensors"), weights)
    return changes


def golden(model, reference, config, rng, tries):
    """All sequences; where mlx-lm has loaded the adapter, it must agree with the reference."""
    is_sparse = config["model_type"] == "phi3small"
    worst = 0

    def by_both(tokens):
        nonlocal worst
        values = reference.logits(tokens, "long")
        if model is None:
            return values
        # Token by token: see make_golden.
        cache = make_prompt_cache(model)
        pieces = [[t] for t in tokens] if is_sparse else [tokens]
        rows = [model(mx.array([piece]), cache=cache)[0] for piece in pieces]
        own = np.array(mx.concatenate(rows)).astype(np.float64)
        if reference.closest_choice > CLEAR_CHOICE:
            worst = max(worst, abs(own - values).max())
        return own

    sources = {"none": by_both}
    if config.get("rope_scaling"):
        sources = {"short": lambda tokens: reference.logits(tokens, "short"), "long": by_both}
    results = [sequence(logits, rope, length, config["vocab_size"], rng, tries, reference)
               for length in (BLOCK_LENGTHS[1:] if is_sparse else LENGTHS)
               for rope, logits in sources.items()]
    assert worst < 1e-3, f"mlx-lm and the reference differ by {worst}"
    return worst, [entry for _, entry in results]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True, help="folder of the tiny models")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--tries", type=int, default=4, help="prompts to choose from")
    options = parser.parse_args()
    mx.set_default_device(mx.cpu)
    rng = np.random.default_rng([options.seed, 2])
    for name, adapter in ADAPTERS.items():
        base = options.models / name.split("+")[0]
        folder = options.out / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        config = json.loads((base / "config.json").read_text())
        model, _ = load_model(base)
        model = float32(model)
        if config["model_type"] == "phi3small":
            model._dummy_tokenizer_ids = mx.array([], dtype=mx.int32)
        kind = Reference if config["model_type"] == "phi3" else FamilyReference
        reference = kind(base, config)
        plain = reference.logits([5, 9], "long")
        if name.endswith("+mlx"):
            changes = write_mlx(folder, model, adapter, rng)
            # As mlx-lm loads it, in a model that has not seen it yet.
            fresh, _ = load_model(base)
            model = float32(load_adapters(float32(fresh), str(folder)))
            if config["model_type"] == "phi3small":
                model._dummy_tokenizer_ids = mx.array([], dtype=mx.int32)
            model.eval()
        else:
            shapes = {path: weight.shape for path, weight in reference.weights.items()}
            changes = write_peft(folder, model, adapter, rng, shapes)
            model = None
        for path, change in changes.items():
            reference.weights[path] = reference.weights[path] + change
        effect = abs(reference.logits([5, 9], "long") - plain).max()
        assert effect > 0.5, f"{name} changes next to nothing"
        worst, entries = golden(model, reference, config, rng, options.tries)
        write_sequences(folder, entries)
        size = sum(f.stat().st_size for f in folder.iterdir())
        print(f"{name}: {size // 1024} KiB, {len(changes)} modules, changes logits by up to "
              f"{effect:.1f}, mlx-lm and reference within {worst:.1e}", flush=True)


if __name__ == "__main__":
    main()
