#!/usr/bin/env python3
"""Writes the demo model as a checkpoint of Hugging Face's form for vLLM and SGLang, with 32-bit
float weights that are exactly those that its 8-bit codes stand for.

    write_demo_float.py --model FOLDER --out FOLDER

Needs NumPy, and gguf as write_demo_gguf.py does.
"""
import argparse
import json
import os
import shutil
import struct

from write_demo_gguf import weights


def write_safetensors(path, entries):
    """Writes 32-bit float tensors, by name."""
    header, offset = {}, 0
    for name, values in entries:
        header[name] = {"dtype": "F32", "shape": list(values.shape),
                        "data_offsets": [offset, offset + values.nbytes]}
        offset += values.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, values in entries:
            file.write(values.tobytes())


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="folder of the demo model")
    parser.add_argument("--out", required=True, help="folder to write")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    with open(f"{options.model}/config.json") as file:
        config = json.load(file)
    entries = list(weights(f"{options.model}/model.safetensors", config))
    write_safetensors(f"{options.out}/model.safetensors", entries)
    del config["quantization"]
    config["torch_dtype"] = "float32"
    with open(f"{options.out}/config.json", "w") as file:
        json.dump(config, file, indent=1)
    for name in ["tokenizer.json", "tokenizer_config.json", "generation_config.json"]:
        shutil.copy(f"{options.model}/{name}", f"{options.out}/{name}")


if __name__ == "__main__":
    main()
