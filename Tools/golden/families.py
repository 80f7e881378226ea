"""The tiny models of the other architectures: phi, phimoe and phi3small. Each in 4 and 8 bits and in
bfloat16; those in 4 bits have 320 tokens, for tests that compute batches."""
from variants import Variant, long_rope

WIDTHS = {"4bit": {"": (4, 32)}, "8bit": {"": (8, 32)}, "bf16": {}}


def shared(vocab_size, **changes):
    return dict(hidden_size=64, num_attention_heads=4, num_hidden_layers=2, vocab_size=vocab_size,
                tie_word_embeddings=False, bos_token_id=1, eos_token_id=2) | changes


def phi(vocab_size, _rng):
    """Phi-1, 1.5 and 2."""
    return shared(
        vocab_size, model_type="phi", architectures=["PhiForCausalLM"], hidden_act="gelu_new",
        intermediate_size=96, num_key_value_heads=4, partial_rotary_factor=0.5,
        layer_norm_eps=1e-05, max_position_embeddings=2048, rope_theta=10000.0, rope_scaling=None,
        qk_layernorm=False)


def phimoe(vocab_size, rng):
    """Phi-3.5-MoE, with LongRoPE's magnitudes in the file."""
    rope = long_rope(rng, 8) | dict(
        short_mscale=1.25, long_mscale=1.25, original_max_position_embeddings=16)
    return shared(
        vocab_size, model_type="phimoe", architectures=["PhiMoEForCausalLM"], hidden_act="silu",
        intermediate_size=32, num_key_value_heads=2, num_local_experts=4, num_experts_per_tok=2,
        router_jitter_noise=0.01, attention_bias=True, lm_head_bias=True, rms_norm_eps=1e-05,
        max_position_embeddings=256, original_max_position_embeddings=16, rope_theta=10000.0,
        rope_scaling=rope)


def phimoe_plain(vocab_size, rng):
    """Phi-mini-MoE: without LongRoPE; and of three experts instead of two."""
    return phimoe(vocab_size, rng) | dict(
        rope_scaling=None, num_experts_per_tok=3, num_local_experts=6, num_hidden_layers=1)


def phi3small(vocab_size, _rng):
    """Phi-3-small: blocks of 32, of which only a position's own and every third are seen."""
    return shared(
        vocab_size, model_type="phi3small", architectures=["Phi3SmallForCausalLM"],
        hidden_act="gegelu", ff_intermediate_size=96, num_key_value_heads=2, gegelu_limit=2.5,
        layer_norm_epsilon=1e-05, max_position_embeddings=8192, rope_embedding_base=1000000,
        rope_position_scale=1.0, dense_attention_every_n_layers=2, blocksparse_block_size=32,
        blocksparse_num_local_blocks=1, blocksparse_vert_stride=3, mup_attn_multiplier=1.5,
        mup_embedding_multiplier=3.0, mup_use_scaling=True, mup_width_multiplier=2.0)


def families(rng):
    """All variants by name; `rng` draws the rotary factors."""
    result = {}
    for make in (phi, phimoe, phi3small):
        for width, quantization in WIDTHS.items():
            vocab_size = 320 if width == "4bit" else 64
            config = make(vocab_size, rng)
            if vocab_size == 64 and make != phi3small:  # whose layers differ
                config["num_hidden_layers"] = 1
            result[f"{make.__name__}-{width}"] = Variant(
                config, "float16" if width == "8bit" else "bfloat16", quantization)
    result["phimoe-plain"] = Variant(
        phimoe_plain(64, rng), quantization={"": (4, 64), "down_proj": (4, 32)})
    return result


def random_weights(rng, model_weights):
    """Weights for the names and shapes of mlx-lm's model, with which every part matters."""
    weights = {}
    for name, array in model_weights.items():
        shape = array.shape
        if "layernorm" in name or name.startswith("model.norm"):
            drawn = rng.uniform(0.6, 1.5, shape) if name.endswith("weight") \
                else rng.normal(0, 0.3, shape)
        elif name.endswith(".bias"):
            drawn = rng.normal(0, 0.5, shape)
        else:
            gain = 4 if "embed_tokens" in name or "lm_head" in name else 1.5
            drawn = rng.normal(0, gain * shape[-1] ** -0.5, shape)
        weights[name] = drawn
    return weights
