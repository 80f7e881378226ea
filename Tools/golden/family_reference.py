"""The other architectures in float64: see reference.py."""
import numpy as np

from reference import Reference, read_safetensors


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class FamilyReference(Reference):
    """A checkpoint's model: phi, phimoe or phi3small."""

    def __init__(self, folder, config):
        super().__init__(folder, config)
        self.biases = {}
        for file in folder.glob("model*.safetensors"):
            self.biases |= {name.removesuffix(".bias"): array.astype(np.float64)
                            for name, array in read_safetensors(file).items()
                            if name.endswith(".bias")}
        self.kind = config["model_type"]

    def _decode(self, tensors, path):
        shape = tensors[path + ".weight"].shape
        flat = {path + end: tensors[path + end].reshape(-1, tensors[path + end].shape[-1])
                for end in (".weight", ".scales", ".biases") if path + end in tensors}
        middle = self.config.get("intermediate_size", self.config.get("ff_intermediate_size"))
        if path.endswith("fc2"):
            path_config = self.config | {"hidden_size": middle}
        else:
            path_config = self.config | {"intermediate_size": middle}
        whole, self.config = self.config, path_config
        decoded = super()._decode(flat, path)
        self.config = whole
        return decoded.reshape(*shape[:-1], -1)

    def _linear(self, x, path):
        return x @ self.weights[path].T + self.biases.get(path, 0)

    def _norm(self, x, path):
        epsilon = next(self.config[key] for key in
                       ("layer_norm_eps", "rms_norm_eps", "layer_norm_epsilon")
                       if key in self.config)
        centered = x - x.mean(-1, keepdims=True)
        variance = (centered * centered).mean(-1, keepdims=True)
        return centered / np.sqrt(variance + epsilon) * self.weights[path] + self.biases[path]

    def _rotation(self, count, factors):
        config = self.config
        base = config.get("rope_theta", config.get("rope_embedding_base"))
        scaling = config.get("rope_scaling")
        self.config = config | {"rope_theta": base, "rope_scaling": scaling}
        rotate = super()._rotation(count, factors)
        self.config = config
        if not scaling:
            return rotate
        # The file's magnitude instead of the formula's, for rotated elements: here all are.
        original = config["original_max_position_embeddings"]
        formula = np.sqrt(
            1 + np.log(config["max_position_embeddings"] / original) / np.log(original))
        return lambda heads: rotate(heads) * scaling[factors + "_mscale"] / formula

    def _heads(self, x, path):
        """Queries, keys and values, [tokens, heads, size] each."""
        heads, key_heads = (self.config[f"num_{k}_heads"] for k in ("attention", "key_value"))
        count = len(x)
        if self.kind == "phi3small":
            rows = self._linear(x, path + ".query_key_value")
            rows = rows.reshape(count, key_heads, heads // key_heads + 2, -1)
            queries = rows[:, :, :-2].reshape(count, heads, -1)
            return queries, rows[:, :, -2], rows[:, :, -1]
        return (self._linear(x, path + f".{kind}_proj").reshape(count, number, -1)
                for kind, number in (("q", heads), ("k", key_heads), ("v", key_heads)))

    def _seen(self, count, layer):
        """[heads, queries, keys]: which keys a query sees."""
        heads = self.config["num_attention_heads"]
        causal = np.tri(count, dtype=bool)
        if self.kind != "phi3small" or layer % self.config["dense_attention_every_n_layers"]:
            return np.broadcast_to(causal, (heads, count, count))
        block = np.arange(count) // self.config["blocksparse_block_size"]
        local = block[:, None] - block[None] < self.config["blocksparse_num_local_blocks"]
        strided = (block[None] + np.arange(heads)[:, None] + 1) \
            % self.config["blocksparse_vert_stride"] == 0
        return causal & (local | strided[:, None, :])

    def _attention(self, x, path, rotate, layer):
        queries, keys, values = self._heads(x, path)
        heads, size = queries.shape[1:]
        queries, keys = rotate(queries), rotate(keys)
        group = heads // keys.shape[1]
        keys, values = np.repeat(keys, group, 1), np.repeat(values, group, 1)
        scale = size ** -0.5
        if self.kind == "phi3small" and self.config["mup_use_scaling"]:
            scale = self.config["mup_attn_multiplier"] / size
        scores = np.einsum("qhd,khd->hqk", queries, keys) * scale
        scores = np.where(self._seen(len(x), layer), scores, -np.inf)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        mixed = np.einsum("hqk,khd->qhd", shares, values).reshape(len(x), -1)
        return self._linear(mixed, path + (".o_proj" if self.kind == "phimoe" else ".dense"))

    def _mlp(self, x, path):
        if self.kind == "phi":
            x = self._linear(x, path + ".mlp.fc1")
            x = x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))
            return self._linear(x, path + ".mlp.fc2")
        if self.kind == "phi3small":
            limit = self.config["gegelu_limit"]
            x = self._linear(x, path + ".mlp.up_proj")
            a, b = np.minimum(x[:, ::2], limit), np.clip(x[:, 1::2], -limit, limit)
            return self._linear(a * sigmoid(1.702 * a) * (b + 1), path + ".mlp.down_proj")
        path += ".block_sparse_moe"
        result = np.zeros_like(x)
        for row, logits in enumerate(self._linear(x, path + ".gate")):
            for expert, share in self._chosen(logits):
                gate, up, down = (self.weights[f"{path}.switch_mlp.{name}_proj"][expert]
                                  for name in ("gate", "up", "down"))
                gated = gate @ x[row]
                result[row] += share * (down @ (gated * sigmoid(gated) * (up @ x[row])))
        return result

    def _chosen(self, logits):
        """SparseMixer: experts and their shares."""
        left = list(range(len(logits)))
        near = 2 * self.config["router_jitter_noise"]
        chosen = []
        for _ in range(self.config["num_experts_per_tok"]):
            best = max(left, key=lambda expert: logits[expert])
            top = logits[best]
            distances = {e: (top - logits[e]) / max(abs(logits[e]), top) for e in left}
            others = [abs(d - near) for e, d in distances.items() if e != best]
            others += [top - logits[e] for e in left if e != best]
            self.closest_choice = min([self.closest_choice, *others])
            total = sum(np.exp(logits[e] - top) for e in left if distances[e] <= near)
            chosen.append((best, 1 / total))
            left.remove(best)
        return chosen

    def logits(self, tokens, factors):
        config = self.config
        rotate = self._rotation(len(tokens), factors)
        x = self.weights["model.embed_tokens"][tokens] * config.get("mup_embedding_multiplier", 1)
        for index in range(config["num_hidden_layers"]):
            path = f"model.layers.{index}"
            read = self._norm(x, path + ".input_layernorm")
            attended = self._attention(read, path + ".self_attn", rotate, index)
            if self.kind == "phi":
                x = x + attended + self._mlp(read, path)
            else:
                x = x + attended
                x = x + self._mlp(self._norm(x, path + ".post_attention_layernorm"), path)
        x = self._norm(x, "model.norm" if self.kind == "phimoe" else "model.final_layernorm")
        if self.kind == "phi3small":
            return x @ self.weights["model.embed_tokens"].T / config["mup_width_multiplier"]
        return self._linear(x, "lm_head")
