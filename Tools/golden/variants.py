"""The tiny models: their purpose, their sizes, and how each module is stored."""
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Variant:
    config: dict
    dtype: str = "bfloat16"
    # (bits, group size), or the name of a mode with floats, by the end of a module's path; False
    # leaves it float, "" is the default.
    quantization: dict = field(default_factory=dict)
    # The number of files for the tensors.
    shards: int = 1
    # Whether config.json and index stay as mlx-lm writes them: see make_golden.age.
    style: str = "mlx-lm"


def config(**changes):
    """A config.json of the family's keys, one small layer."""
    sizes = dict(
        hidden_size=128, intermediate_size=64, num_attention_heads=4, num_key_value_heads=1,
        num_hidden_layers=1, vocab_size=64, max_position_embeddings=4096,
        original_max_position_embeddings=4096)
    rest = dict(
        architectures=["Phi3ForCausalLM"], model_type="phi3", hidden_act="silu",
        attention_bias=False, rms_norm_eps=1e-05, rope_theta=10000.0, rope_scaling=None,
        tie_word_embeddings=False, sliding_window=None, bos_token_id=1, eos_token_id=2,
        pad_token_id=2)
    return {**rest, **sizes, **changes}


def long_rope(rng, pair_count, kind="longrope"):
    """Factors that grow with the pair's index, as in real models."""
    def ascending(values):
        return [float(np.float32(1 + v)) for v in np.sort(values)]
    return {"type": kind,
            "short_factor": ascending(rng.uniform(0, 1.9, pair_count)),
            "long_factor": ascending(rng.gamma(0.7, 14.0, pair_count))}


# One bit width per model, with every group size.
GROUPS = {"": 64, "qkv_proj": 32, "gate_up_proj": 128, "down_proj": 32, "lm_head": 128}
# Every type of scales with two of the widths.
SCALES = {2: "float16", 3: "bfloat16", 4: "float32", 5: "float16", 6: "bfloat16", 8: "float32"}


def variants(rng):
    """All variants by name; `rng` draws the rotary factors."""
    result = {
        f"affine-{bits}bit": Variant(
            config(), dtype, {path: (bits, group) for path, group in GROUPS.items()})
        for bits, dtype in SCALES.items()
    }
    tiny = dict(hidden_size=32, intermediate_size=32, num_attention_heads=2)
    seam = dict(max_position_embeddings=256, original_max_position_embeddings=16)
    # Phi-4-mini's features: tied embeddings, part of a head rotated, LongRoPE.
    result["mixed-shards"] = Variant(
        config(num_hidden_layers=2, tie_word_embeddings=True, partial_rotary_factor=0.75,
               rope_scaling=long_rope(rng, 12), **seam),
        quantization={"": (4, 64), "embed_tokens": (5, 32), "down_proj": (8, 32),
                      "layers.1.mlp.gate_up_proj": (3, 128), "layers.0.self_attn.o_proj": False,
                      "layers.1.self_attn.o_proj": (6, 64)},
        shards=3)
    result["old-config"] = Variant(
        config(rope_scaling=long_rope(rng, 8, "su"), **tiny, **seam), "float16",
        quantization={"": (4, 32)}, style="old")
    result["float16-su"] = Variant(
        config(rope_scaling=long_rope(rng, 8, "su"), **tiny, **seam), "float16")
    result["float32-new-config"] = Variant(
        config(rope_scaling=long_rope(rng, 8), **tiny, **seam), "float32", style="new")
    return result


def float_modes(families):
    """The modes whose codes are floats, in each architecture; `families` has those that are not phi3."""
    result = {mode: Variant(config(), dtype, {"": mode})
              for mode, dtype in (("mxfp4", "bfloat16"), ("mxfp8", "float16"))}
    # Rows of three groups of 16.
    result["nvfp4"] = Variant(config(intermediate_size=48), quantization={"": "nvfp4"})
    result["mxfp4-mixed"] = Variant(
        config(num_hidden_layers=2),
        quantization={"": "mxfp4", "embed_tokens": "nvfp4", "lm_head": "mxfp8", "down_proj": (8, 32),
                      "layers.0.self_attn.o_proj": False, "layers.1.mlp.gate_up_proj": "nvfp4"})
    for name, mode in (("phimoe", "mxfp4"), ("phimoe", "nvfp4"), ("phimoe", "mxfp8"),
                       ("phi", "nvfp4"), ("phi3small", "mxfp4")):
        family = families[f"{name}-8bit"]
        result[f"{name}-{mode}"] = Variant(family.config, family.dtype, {"": mode})
    return result
