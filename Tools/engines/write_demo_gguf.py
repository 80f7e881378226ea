#!/usr/bin/env python3
"""Writes the demo model as a GGUF file for llama.cpp, with float weights that are exactly those that
its 8-bit codes stand for.

    write_demo_gguf.py --model FOLDER --out FILE

Its special tokens take the white space after them (`rstrip`), which llama.cpp only does for models
that it knows by name. So the template of the file has no line feeds: the ids are the same.
Needs NumPy and gguf.
"""
import argparse
import json
import struct

import gguf
import numpy as np

TYPES = {"U32": np.uint32, "F16": np.float16, "F32": np.float32}


def tensors(path):
    """The tensors of a safetensors file, by name."""
    with open(path, "rb") as file:
        length = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(length))
        data = file.read()
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        start, end = entry["data_offsets"]
        if entry["dtype"] == "BF16":
            words = np.frombuffer(data[start:end], np.uint16).astype(np.uint32) << 16
            yield name, words.view(np.float32).reshape(entry["shape"])
        else:
            values = np.frombuffer(data[start:end], TYPES[entry["dtype"]])
            yield name, values.reshape(entry["shape"])


def weights(path, config):
    """The matrices and vectors as 32-bit floats, by the names of the checkpoint."""
    stored = dict(tensors(path))
    group = config["quantization"]["group_size"]
    assert config["quantization"]["bits"] == 8
    for name, values in stored.items():
        if not name.endswith(".weight"):
            continue
        if values.dtype != np.uint32:
            yield name, values.astype(np.float32)
            continue
        base = name.removesuffix("weight")
        codes = values.view(np.uint8).reshape(values.shape[0], -1, group).astype(np.float32)
        scales = stored[base + "scales"].astype(np.float32)[:, :, None]
        biases = stored[base + "biases"].astype(np.float32)[:, :, None]
        yield name, (codes * scales + biases).reshape(values.shape[0], -1)


def new_name(name):
    """llama.cpp's name of a tensor."""
    parts = name.removeprefix("model.").split(".")
    if parts[0] == "embed_tokens":
        return "token_embd.weight"
    if parts[0] == "norm":
        return "output_norm.weight"
    ends = {
        "self_attn.qkv_proj": "attn_qkv", "self_attn.o_proj": "attn_output",
        "mlp.gate_up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
        "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
    }
    return f"blk.{parts[1]}.{ends['.'.join(parts[2:-1])]}.weight"


def add_settings(writer, config):
    heads = config["num_attention_heads"]
    length = config["max_position_embeddings"]
    writer.add_name("Stoa's demo model")
    writer.add_context_length(length)
    writer.add_rope_scaling_orig_ctx_len(config["original_max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_dimension_count(config["hidden_size"] // heads)
    writer.add_rope_freq_base(float(config["rope_theta"]))
    # Longer than any context, so it has no effect.
    writer.add_sliding_window(config["sliding_window"] or 262144)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)


def add_tokens(writer, folder, config):
    with open(f"{folder}/tokenizer.json") as file:
        tokenizer = json.load(file)
    with open(f"{folder}/tokenizer_config.json") as file:
        settings = json.load(file)
    model, count = tokenizer["model"], config["vocab_size"]
    names, kinds = [b""] * count, [int(gguf.TokenType.NORMAL)] * count
    for name, number in model["vocab"].items():
        names[number] = name.encode()
    for token in tokenizer["added_tokens"]:
        names[token["id"]] = token["content"].encode()
        kinds[token["id"]] = int(gguf.TokenType.CONTROL)
    writer.add_tokenizer_model("gpt2")
    # Its pattern is the tokenizer's.
    writer.add_tokenizer_pre("dbrx")
    writer.add_token_list(names)
    writer.add_token_types(kinds)
    writer.add_token_merges([" ".join(pair) for pair in model["merges"]])
    end = next(t["id"] for t in tokenizer["added_tokens"] if t["content"] == "<|end|>")
    writer.add_bos_token_id(config["bos_token_id"])
    writer.add_eos_token_id(end)
    writer.add_add_bos_token(False)
    template = settings["chat_template"]
    writer.add_chat_template(template.replace("|>\\n'", "|>'").replace("|>\n'", "|>'"))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="folder of the demo model")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    with open(f"{options.model}/config.json") as file:
        config = json.load(file)
    writer = gguf.GGUFWriter(options.out, "phi3")
    add_settings(writer, config)
    add_tokens(writer, options.model, config)
    for name, values in weights(f"{options.model}/model.safetensors", config):
        writer.add_tensor(new_name(name), np.ascontiguousarray(values))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
