"""Measures MLX on this processor: mlx-lm's model on random weights of a config's shape, in 4 bits and
groups of 64. Prints lines of "name value", in tokens per second.

    mlx_speed.py --config FOLDER/config.json

Activations are float32: with the checkpoints' own bfloat16 MLX is several times slower without a GPU. It
takes seconds per token, so it decodes only a few, and processes a short prompt with two layers only: the figure
is extrapolated to all layers, without the head, which a prompt needs once.
"""
import argparse
import json
import statistics
import time

import mlx.core as mx
import mlx.nn as nn
import mlx_lm
from mlx.utils import tree_map
from mlx_lm.models import phi3
from mlx_lm.models.cache import make_prompt_cache

BITS, GROUP = 4, 64
DECODED_COUNT, PROMPT_COUNT, PROMPT_LAYERS = 4, 32, 2


def random_quantized(module):
    """A module of the same shape with random codes, which avoids quantizing large weights."""
    if not hasattr(module, "to_quantized"):
        return module
    rows, columns = module.weight.shape
    is_embedding = isinstance(module, nn.Embedding)
    kind = nn.QuantizedEmbedding if is_embedding else nn.QuantizedLinear
    quantized = kind.__new__(kind)
    nn.Module.__init__(quantized)
    quantized.group_size, quantized.bits, quantized.mode = GROUP, BITS, "affine"
    if is_embedding:
        quantized.num_embeddings, quantized.dims = rows, columns
    scale = columns ** -0.5 / 4.6
    quantized.weight = mx.random.randint(
        0, 2 ** 32 - 1, (rows, columns * BITS // 32), dtype=mx.uint32)
    quantized.scales = mx.full((rows, columns // GROUP), scale, dtype=mx.float32)
    quantized.biases = mx.full((rows, columns // GROUP), -7.5 * scale, dtype=mx.float32)
    quantized.freeze()
    return quantized


def make_model(config):
    model = phi3.Model(phi3.ModelArgs.from_dict(config))
    model.update_modules(
        tree_map(random_quantized, model.leaf_modules(), is_leaf=nn.Module.is_module))
    mx.eval(model.parameters())
    return model


def report(name, value):
    print(f"mlx_{name} {value:.4f}", flush=True)


def measure_decode(config):
    model = make_model(config)
    cache = make_prompt_cache(model)
    token, seconds = mx.full((1, 1), 5), []
    for _ in range(DECODED_COUNT + 1):
        start = time.perf_counter()
        token = mx.argmax(model(token, cache=cache)[:, -1], -1, keepdims=True)
        mx.eval(token)
        seconds.append(time.perf_counter() - start)
    # The first one loads the weights into memory.
    report("decode_1_tokens_per_second", 1 / statistics.median(seconds[1:]))


def measure_prompt(config):
    model = make_model({**config, "num_hidden_layers": PROMPT_LAYERS})
    cache = make_prompt_cache(model)
    prompt = mx.random.randint(5, config["vocab_size"], (1, PROMPT_COUNT))
    mx.eval(prompt)
    start = time.perf_counter()
    mx.eval(model.model(prompt, cache=cache))
    seconds = (time.perf_counter() - start) * config["num_hidden_layers"] / PROMPT_LAYERS
    report("prompt_tokens_per_second", PROMPT_COUNT / seconds)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", required=True, help="config.json of the shape")
    with open(parser.parse_args().config) as file:
        config = json.load(file)
    mx.set_default_device(mx.cpu)
    mx.random.seed(1)
    print(f"mlx_version MLX {mx.__version__} with mlx-lm {mlx_lm.__version__}", flush=True)
    measure_decode(config)
    measure_prompt(config)


if __name__ == "__main__":
    main()
