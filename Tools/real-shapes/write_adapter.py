#!/usr/bin/env python3
"""Writes a LoRA adapter with random matrices for a Phi model's folder, in mlx-lm's format, for measurements.

    python3 write_adapter.py MODEL --out FOLDER [--rank 16] [--keys attention|all]

It changes the attention's projections, or all linear layers, of every layer. The matrices are
small, so answers stay similar. Needs NumPy.
"""
import argparse
import json
import struct
from pathlib import Path

import numpy as np

from write_checkpoint import modules

KEYS = {"attention": ("qkv_proj", "o_proj"),
        "all": ("qkv_proj", "o_proj", "gate_up_proj", "down_proj")}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="a folder with config.json")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--keys", choices=KEYS, default="attention")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    config = json.loads((options.model / "config.json").read_text())
    random = np.random.default_rng(options.seed)
    header, data = {}, b""
    for path, rows, columns in modules(config):
        if not path.endswith(KEYS[options.keys]):
            continue
        for name, shape in ("lora_a", [columns, options.rank]), ("lora_b", [options.rank, rows]):
            values = (0.001 * random.standard_normal(shape)).astype(np.float16).tobytes()
            header[f"{path}.{name}"] = {"dtype": "F16", "shape": shape,
                                        "data_offsets": [len(data), len(data) + len(values)]}
            data += values
    options.out.mkdir(parents=True)
    settings = {"fine_tune_type": "lora", "num_layers": -1,
                "lora_parameters": {"rank": options.rank, "scale": 20.0, "dropout": 0.0}}
    (options.out / "adapter_config.json").write_text(json.dumps(settings, indent=4) + "\n")
    text = json.dumps(header, separators=(",", ":")).encode()
    (options.out / "adapters.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    print(f"{options.out}: {len(data)} bytes")


if __name__ == "__main__":
    main()
