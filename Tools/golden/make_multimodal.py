#!/usr/bin/env python3
"""Writes tiny random models of Phi-4-multimodal (phi4mm), each with the golden_logits.json of its text
model: in the authors' layout, with adapters beside the layers, and as mlx-vlm converts and quantizes
that. See README.md."""
import argparse
import json
import shutil
from pathlib import Path

import mlx.core as mx
import numpy as np
from mlx_vlm.models.phi4mm.config import ModelConfig
from mlx_vlm.models.phi4mm.phi4mm import Model
from mlx_vlm.quant_utils import quantize_model
from mlx_vlm.utils import save_config, save_weights

from make_golden import float32
from reference import Reference
from sequences import LENGTHS, random_weights, sequence, write_sequences
from variants import long_rope

VISION, AUDIO = 16, 24
ADAPTERS = {"vision": (6, 12), "speech": (4, 8)}  # rank and alpha


def config(vocab_size, rng):
    """The authors' keys that text needs, and those by which mlx-vlm finds sizes."""
    adapters = {f"{name}_lora": {"r": rank, "lora_alpha": alpha, "dp": 0.0, "layer": "layers.*"}
                for name, (rank, alpha) in ADAPTERS.items()}
    return adapters | dict(
        architectures=["Phi4MMForCausalLM"], model_type="phi4mm", hidden_act="silu",
        hidden_size=64, intermediate_size=96, num_attention_heads=4, num_key_value_heads=2,
        num_hidden_layers=2, vocab_size=vocab_size, max_position_embeddings=256,
        original_max_position_embeddings=16, partial_rotary_factor=0.75, rope_theta=10000.0,
        rope_scaling=long_rope(rng, 6), rms_norm_eps=1e-05, tie_word_embeddings=True,
        attention_bias=False, mlp_bias=False, lm_head_bias=False, sliding_window=262144,
        bos_token_id=1, eos_token_id=2, pad_token_id=2, mm_hidden_size=VISION,
        embd_layer={"embedding_cls": "image_audio"},
        vision_config=dict(hidden_size=VISION, intermediate_size=VISION, num_attention_heads=2,
                           num_hidden_layers=1, patch_size=2, image_size=4),
        audio_processor={"config": dict(
            attention_dim=AUDIO, attention_heads=2, num_blocks=1, linear_units=AUDIO, input_size=8,
            t5_bias_max_distance=2, conv_channels=AUDIO, ext_pw_out_channel=AUDIO,
            depthwise_seperable_out_channel=AUDIO)})


def authors_weights(rng, config):
    """The text model, its adapters, and some of the other parts' tensors, by the authors' names."""
    weights = {}
    for name, array in random_weights(rng, config).items():
        if not name.endswith("_proj.weight"):
            weights[name] = array
            continue
        module = name.removesuffix(".weight")
        weights[module + ".base_layer.weight"] = array
        rows, columns = array.shape
        for adapter, (rank, _) in ADAPTERS.items():
            weights[f"{module}.lora_A.{adapter}.weight"] = rng.normal(0, columns ** -0.5, (rank, columns))
            weights[f"{module}.lora_B.{adapter}.weight"] = rng.normal(0, 0.1, (rows, rank))
    hidden = config["hidden_size"]
    parts = "model.embed_tokens_extend."
    projections = {"image_embed.img_projection": VISION,
                   "audio_embed.audio_projection.speech": AUDIO,
                   "audio_embed.audio_projection.vision": AUDIO}
    for path, width in projections.items():
        weights |= {f"{parts}{path}.0.weight": rng.normal(0, 1, (hidden, width)),
                    f"{parts}{path}.0.bias": rng.normal(0, 1, hidden)}
    tower = parts + "image_embed.img_processor.encoder.layers.0.self_attn.k_proj"
    encoder = parts + "audio_embed.encoder.encoders.0.self_attn.linear_k"
    return weights | {
        parts + "image_embed.glb_GN": rng.normal(0, 1, (1, 1, VISION)),
        tower + ".weight": rng.normal(0, 1, (VISION, VISION)),
        tower + ".bias": rng.normal(0, 1, VISION),
        encoder + ".weight": rng.normal(0, 1, (AUDIO, AUDIO)),
    }


class TextReference(Reference):
    """The text model in float64, of either layout."""

    def __init__(self, folder, config):
        super().__init__(folder, config)
        self.weights = {name.removeprefix("language_model.").removesuffix(".base_layer"): array
                        for name, array in self.weights.items()}


def mlx_model(config, weights):
    """mlx-vlm's model of the authors' weights, as it loads them."""
    model = Model(ModelConfig.from_dict(config))
    model.load_weights(list(model.sanitize(weights).items()), strict=False)
    return model


def golden(folder, config, model, rng, tries):
    """All sequences; fails if mlx-vlm and the reference disagree."""
    model = float32(model).language_model
    reference = TextReference(folder, config)
    worst = 0

    def source(rope):
        # mlx-vlm chooses the factors by this length.
        length = 0 if rope == "long" else 1 << 30

        def logits(tokens):
            nonlocal worst
            for layer in model.layers:
                layer.self_attn.rope.original_max_position_embeddings = length
            values = np.array(model(mx.array([tokens])).logits[0]).astype(np.float64)
            worst = max(worst, abs(values - reference.logits(tokens, rope)).max())
            return values
        return logits

    results = [sequence(source(rope), rope, length, config["vocab_size"], rng, tries)
               for length in LENGTHS for rope in ("short", "long")]
    assert worst < 1e-3, f"{folder}: mlx-vlm and the reference differ by {worst}"
    write_sequences(folder, [entry for _, entry in results])
    size = sum(f.stat().st_size for f in folder.iterdir())
    print(f"{folder.name}: {size // 1024} KiB, smallest lead {min(lead for lead, _ in results):.4f}, "
          f"mlx-vlm and reference within {worst:.1e}", flush=True)


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def write_authors(folder, rng, tries):
    """The authors' layout in bfloat16: the values are those without adapters."""
    settings = config(64, rng)
    weights = {name: mx.array(array).astype(mx.bfloat16)
               for name, array in authors_weights(rng, settings).items()}
    mx.save_safetensors(str(folder / "model.safetensors"), weights, metadata={"format": "pt"})
    (folder / "config.json").write_text(
        json.dumps(settings | {"torch_dtype": "bfloat16"}, indent=1) + "\n")
    model = mlx_model(settings, {name: array.astype(mx.float32) for name, array in weights.items()})
    model.apply_base_weights()  # as for text alone
    golden(folder, settings, model, rng, tries)


def write_converted(folder, rng, tries):
    """mlx-vlm's layout in 4 bits: it adds both adapters to the layers before it rounds them."""
    settings = config(320, rng)
    weights = {name: mx.array(array).astype(mx.bfloat16)
               for name, array in authors_weights(rng, settings).items()}
    model = mlx_model(settings, weights)
    model, quantized = quantize_model(
        model, settings, 32, 4, quant_predicate=model.quant_predicate)
    save_weights(folder, model)
    save_config(dict(quantized), folder / "config.json")
    golden(folder, settings, model, rng, tries)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--tries", type=int, default=4, help="prompts to choose from")
    options = parser.parse_args()
    mx.set_default_device(mx.cpu)
    mx.random.seed(options.seed)
    rng = np.random.default_rng([options.seed, 3])
    write_authors(fresh(options.out / "phi4mm-bf16"), rng, options.tries)
    write_converted(fresh(options.out / "phi4mm-4bit"), rng, options.tries)


if __name__ == "__main__":
    main()
