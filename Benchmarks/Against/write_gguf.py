"""Writes a GGUF file of a Phi model's shape with random weights, to measure llama.cpp and Stoa with.

    write_gguf.py --config FOLDER/config.json --out FILE [--mix q4_k_m]

The types are those that llama-quantize chooses in this family: Q4_0 (the default), and Q6_K for the head; or
for Q4_K_M, Q4_K for most, Q5_K for queries, keys and values, and Q6_K for the head and the last
matrices of half of the layers.
Blocks are written directly, random codes with scales that keep activations near one, so no
float copy is made; the same seed writes the same bytes. Needs NumPy and gguf.
"""
import argparse
import json
import math

import gguf
import numpy as np

Q4_0 = gguf.GGMLQuantizationType.Q4_0
Q4_K = gguf.GGMLQuantizationType.Q4_K
Q5_K = gguf.GGMLQuantizationType.Q5_K
Q6_K = gguf.GGMLQuantizationType.Q6_K
# The position of a block's scale, and the spread of what it is multiplied with.
SCALES = {
    Q4_0: (slice(0, 2), 4.6), Q4_K: (slice(0, 2), 250.0), Q5_K: (slice(0, 2), 510.0),
    Q6_K: (slice(-2, None), 74.0 * 18.5),
}
# Blocks with minimums have a scale of theirs, this many times the other one: the mean code, so that the mean weight is zero.
MINIMUMS = {Q4_K: 7.5, Q5_K: 15.5}
TOKEN_TYPES = gguf.TokenType
CONTROL_COUNT, BYTE_COUNT = 3, 256


def types(mix, index, count):
    """The types of the queries, keys and values, of most others, and of the last matrix of layer `index`."""
    if mix == "q4_0":
        return Q4_0, Q4_0, Q4_0
    has_more_bits = index < count // 8 or index >= 7 * count // 8 or (index - count // 8) % 3 == 2
    return Q5_K, Q4_K, Q6_K if has_more_bits else Q4_K


def weights(config, mix):
    """(name, rows, columns, type, deviation) of each matrix."""
    hidden, middle = config["hidden_size"], config["intermediate_size"]
    head_size = hidden // config["num_attention_heads"]
    queries_and_keys = hidden + 2 * config["num_key_value_heads"] * head_size
    tied = config.get("tie_word_embeddings", False)
    _, most, _ = types(mix, 0, config["num_hidden_layers"])
    yield "token_embd.weight", config["vocab_size"], hidden, Q6_K if tied else most, 1.0
    if not tied:
        yield "output.weight", config["vocab_size"], hidden, Q6_K, hidden ** -0.5
    for index in range(config["num_hidden_layers"]):
        block = f"blk.{index}."
        first, most, last = types(mix, index, config["num_hidden_layers"])
        yield block + "attn_qkv.weight", queries_and_keys, hidden, first, hidden ** -0.5
        yield block + "attn_output.weight", hidden, hidden, most, 0.3 * hidden ** -0.5
        yield block + "ffn_up.weight", 2 * middle, hidden, most, hidden ** -0.5
        yield block + "ffn_down.weight", hidden, middle, last, 0.3 * middle ** -0.5


def vectors(config):
    """(name, values) of the norms and of LongRoPE's factors."""
    ones = np.ones(config["hidden_size"], np.float32)
    yield "output_norm.weight", ones
    for index in range(config["num_hidden_layers"]):
        yield f"blk.{index}.attn_norm.weight", ones
        yield f"blk.{index}.ffn_norm.weight", ones
    scaling = config.get("rope_scaling")
    if scaling:
        for length in ("long", "short"):
            factors = np.array(scaling[length + "_factor"], np.float32)
            yield f"rope_factors_{length}.weight", factors


def blocks(random, rows, columns, kind, deviation):
    """The bytes of a matrix, with a row of blocks for each row."""
    block, byte_count = gguf.GGML_QUANT_SIZES[kind]
    count = rows * columns // block
    data = np.frombuffer(random.bytes(count * byte_count), np.uint8).reshape(count, byte_count).copy()
    place, spread = SCALES[kind]
    scale = deviation / spread
    data[:, place] = np.frombuffer(np.float16(scale).tobytes(), np.uint8)
    if kind in MINIMUMS:
        data[:, 2:4] = np.frombuffer(np.float16(scale * MINIMUMS[kind]).tobytes(), np.uint8)
    return data.reshape(rows, columns // block * byte_count)


def add_settings(writer, config, mix):
    heads = config["num_attention_heads"]
    head_size = config["hidden_size"] // heads
    length = config["max_position_embeddings"]
    original = config.get("original_max_position_embeddings", length)
    # With "phi3" in the name, llama.cpp would look for that family's special tokens.
    writer.add_name("random weights")
    writer.add_context_length(length)
    writer.add_rope_scaling_orig_ctx_len(original)
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_dimension_count(int(head_size * config.get("partial_rotary_factor", 1)))
    writer.add_rope_freq_base(float(config["rope_theta"]))
    # The value of the models' cards: longer than any context, so it has no effect.
    writer.add_sliding_window(config.get("sliding_window") or 262144)
    is_mixed = mix == "q4_k_m"
    writer.add_file_type(
        gguf.LlamaFileType.MOSTLY_Q4_K_M if is_mixed else gguf.LlamaFileType.MOSTLY_Q4_0)
    writer.add_quantization_version(2)
    if config.get("rope_scaling"):
        growth = math.log(length / original) / math.log(original)
        writer.add_rope_scaling_attn_factors(math.sqrt(1 + growth))


def add_tokens(writer, count):
    """Control tokens, all bytes, and made-up words."""
    names, kinds = [], []
    for index in range(count):
        byte = index - CONTROL_COUNT
        if byte < 0:
            names.append(f"<control {index}>".encode())
            kinds.append(int(TOKEN_TYPES.CONTROL))
        elif byte < BYTE_COUNT:
            names.append(f"<0x{byte:02X}>".encode())
            kinds.append(int(TOKEN_TYPES.BYTE))
        else:
            names.append(f"w{index}".encode())
            kinds.append(int(TOKEN_TYPES.NORMAL))
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(names)
    writer.add_token_scores([-float(index) for index in range(count)])
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(False)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", required=True, help="config.json of the shape")
    parser.add_argument("--out", required=True)
    parser.add_argument("--mix", choices=["q4_0", "q4_k_m"], default="q4_0")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with open(options.config) as file:
        config = json.load(file)

    writer = gguf.GGUFWriter(options.out, "phi3")
    add_settings(writer, config, options.mix)
    add_tokens(writer, config["vocab_size"])
    for name, values in vectors(config):
        writer.add_tensor_info(name, values.shape, values.dtype, values.nbytes)
    for name, rows, columns, kind, _ in weights(config, options.mix):
        block, byte_count = gguf.GGML_QUANT_SIZES[kind]
        row = columns // block * byte_count
        writer.add_tensor_info(
            name, (rows, row), np.dtype(np.uint8), rows * row, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    random = np.random.default_rng(options.seed)
    for _, values in vectors(config):
        writer.write_tensor_data(values)
    for _, rows, columns, kind, deviation in weights(config, options.mix):
        writer.write_tensor_data(blocks(random, rows, columns, kind, deviation))
    writer.close()


if __name__ == "__main__":
    main()
