"""The model in float64, computed from a checkpoint's bytes with NumPy alone.

It shares no code with mlx-lm and supports both of LongRoPE's factor sets.
"""
import json

import numpy as np


def read_safetensors(path):
    """name -> array; bfloat16 becomes float32."""
    raw = np.fromfile(path, np.uint8)
    header_count = int(raw[:8].view(np.uint64)[0])
    header = json.loads(raw[8:8 + header_count].tobytes())
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + header_count + offset for offset in entry["data_offsets"])
        data = raw[begin:end].copy()
        if entry["dtype"] == "BF16":
            array = (data.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
        else:
            array = data.view({"F32": "<f4", "F16": "<f2", "U32": "<u4", "U8": "u1"}[entry["dtype"]])
        tensors[name] = array.reshape(entry["shape"])
    return tensors


def unpack(words, bits):
    """uint32 [rows, words] -> codes [rows, columns]: a little-endian stream, lowest bits first."""
    stream = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1, bitorder="little")
    return stream.reshape(len(words), -1, bits) @ (1 << np.arange(bits))


def e2m1(code):
    """Floats of 4 bits: see the OCP Microscaling Formats specification, 5.3."""
    exponent, fraction = code >> 1 & 3, code & 1
    magnitude = np.where(exponent, (1 + fraction / 2) * 2.0 ** (exponent - 1), fraction / 2)
    return np.where(code >> 3, -magnitude, magnitude)


def e4m3(code):
    """Floats of 8 bits, without the NaN."""
    exponent, fraction = code >> 3 & 15, code & 7
    magnitude = np.where(
        exponent, (1 + fraction / 8) * 2.0 ** (exponent - 7), fraction / 8 * 2.0 ** -6)
    return np.where(code >> 7, -magnitude, magnitude)


class Reference:
    """A checkpoint's model."""

    def __init__(self, folder, config):
        # In old files' style, if make_golden rewrote them.
        self.config = config
        # How near a choice of experts was to another one, for architectures that have them.
        self.closest_choice = np.inf
        tensors = {}
        for file in folder.glob("model*.safetensors"):
            tensors.update(read_safetensors(file))
        self.weights = {
            name.removesuffix(".weight"): self._decode(tensors, name.removesuffix(".weight"))
            for name in tensors if name.endswith(".weight")}

    def _decode(self, tensors, path):
        weight = tensors[path + ".weight"]
        if path + ".scales" not in tensors:
            return weight.astype(np.float64)
        columns = self.config[
            "intermediate_size" if path.endswith("down_proj") else "hidden_size"]
        scales = tensors[path + ".scales"]
        bits = weight.shape[1] * 32 // columns
        codes = unpack(weight, bits).astype(np.int64)
        if scales.dtype == np.uint8:
            # Only groups of 16 have other scales than powers of two.
            scales = e4m3(scales.astype(np.int64)) if columns // scales.shape[1] == 16 \
                else 2.0 ** (scales.astype(np.int64) - 127)
            groups = (e2m1 if bits == 4 else e4m3)(codes).reshape(*scales.shape, -1)
            return (groups * scales[..., None]).reshape(len(weight), columns)
        scales = scales.astype(np.float64)
        biases = tensors[path + ".biases"].astype(np.float64)
        groups = codes.reshape(*scales.shape, -1)
        return (groups * scales[..., None] + biases[..., None]).reshape(len(weight), columns)

    def _rotation(self, count, factors):
        config = self.config
        head_size = config["hidden_size"] // config["num_attention_heads"]
        size = int(head_size * config.get("partial_rotary_factor", 1))
        periods = config["rope_theta"] ** (np.arange(0, size, 2) / size)
        magnitude = 1
        if config["rope_scaling"]:
            periods = periods * config["rope_scaling"][factors + "_factor"]
            original = config["original_max_position_embeddings"]
            ratio = config["max_position_embeddings"] / original
            magnitude = np.sqrt(1 + np.log(ratio) / np.log(original))
        angles = np.arange(count)[:, None, None] / periods

        def rotate(heads):
            a, b, rest = np.split(heads, [size // 2, size], -1)
            cosine, sine = magnitude * np.cos(angles), magnitude * np.sin(angles)
            return np.concatenate([a * cosine - b * sine, b * cosine + a * sine, rest], -1)
        return rotate

    def _norm(self, x, path):
        mean_square = (x * x).mean(-1, keepdims=True)
        return x / np.sqrt(mean_square + self.config["rms_norm_eps"]) * self.weights[path]

    def _attention(self, x, path, rotate):
        heads, key_heads = (self.config[f"num_{k}_heads"] for k in ("attention", "key_value"))
        count = len(x)
        rows = (x @ self.weights[path + ".qkv_proj"].T).reshape(count, heads + 2 * key_heads, -1)
        queries = rotate(rows[:, :heads])
        keys = np.repeat(rotate(rows[:, heads:heads + key_heads]), heads // key_heads, 1)
        values = np.repeat(rows[:, heads + key_heads:], heads // key_heads, 1)
        scores = np.einsum("qhd,khd->hqk", queries, keys) / np.sqrt(queries.shape[-1])
        scores = np.where(np.tri(count, dtype=bool), scores, -np.inf)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        mixed = np.einsum("hqk,khd->qhd", shares, values).reshape(count, -1)
        return mixed @ self.weights[path + ".o_proj"].T

    def _mlp(self, x, path):
        gate, up = np.split(x @ self.weights[path + ".gate_up_proj"].T, 2, -1)
        return (gate / (1 + np.exp(-gate)) * up) @ self.weights[path + ".down_proj"].T

    def logits(self, tokens, factors):
        """[tokens, vocabulary], with LongRoPE's "short" or "long" factors."""
        rotate = self._rotation(len(tokens), factors)
        x = self.weights["model.embed_tokens"][tokens]
        for index in range(self.config["num_hidden_layers"]):
            path = f"model.layers.{index}"
            x = x + self._attention(
                self._norm(x, path + ".input_layernorm"), path + ".self_attn", rotate)
            x = x + self._mlp(self._norm(x, path + ".post_attention_layernorm"), path + ".mlp")
        head = self.weights.get("lm_head", self.weights["model.embed_tokens"])
        return self._norm(x, "model.norm") @ head.T
