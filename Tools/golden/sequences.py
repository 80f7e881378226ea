"""Random weights of tiny models, and the values of sequences that the engine must reproduce."""
import json

import numpy as np

STEPS = 24
LENGTHS = [1, 6, 29]
# More than two of the blocks of block-sparse attention.
BLOCK_LENGTHS = [1, 29, 75]
# Of the router's logits: far more than float32 errs.
CLEAR_CHOICE = 1e-4


def random_weights(rng, config):
    """Weights with which attention, MLP and head all influence the logits."""
    hidden, middle = config["hidden_size"], config["intermediate_size"]
    head_size = hidden // config["num_attention_heads"]
    key_width = config["num_key_value_heads"] * head_size

    def matrix(rows, columns, gain):
        return rng.standard_normal((rows, columns)) * gain / columns ** 0.5

    def norm():
        return rng.uniform(0.6, 1.5, hidden)

    weights = {"model.embed_tokens.weight": matrix(config["vocab_size"], hidden, 4),
               "model.norm.weight": norm()}
    if not config["tie_word_embeddings"]:
        weights["lm_head.weight"] = matrix(config["vocab_size"], hidden, 4)
    for index in range(config["num_hidden_layers"]):
        path = f"model.layers.{index}."
        weights |= {
            path + "self_attn.qkv_proj.weight": matrix(hidden + 2 * key_width, hidden, 1.3),
            path + "self_attn.o_proj.weight": matrix(hidden, hidden, 1.6),
            path + "mlp.gate_up_proj.weight": matrix(2 * middle, hidden, 1.2),
            path + "mlp.down_proj.weight": matrix(hidden, middle, 2),
            path + "input_layernorm.weight": norm(),
            path + "post_attention_layernorm.weight": norm(),
        }
    return weights


def continue_greedily(logits, tokens):
    """STEPS tokens, and the smallest margin between the first and the second choice."""
    answer, lead = [], np.inf
    for _ in range(STEPS):
        last = logits(tokens + answer)[-1]
        second, first = np.sort(last)[-2:]
        lead = min(lead, first - second)
        answer.append(int(last.argmax()))
    return answer, lead


def sequence(logits, rope, length, vocabulary, rng, tries, reference=None):
    """One golden sequence: the prompt whose continuation has the largest margin, among those that
    leave no doubt about the choice of experts."""
    continued = []
    for _ in range(tries):
        prompt = rng.integers(3, vocabulary, length).tolist()
        if reference:
            reference.closest_choice = np.inf
        answer, lead = continue_greedily(logits, prompt)
        is_clear = reference is None or reference.closest_choice > CLEAR_CHOICE
        continued.append((is_clear, lead, answer, prompt))
    _, lead, answer, prompt = max(continued, key=lambda c: c[:2])
    values = logits(prompt)
    return lead, {
        "rope": rope,
        "input_ids": prompt,
        "logits_last": values[-1].round(6).tolist(),
        "logits_first8": values[:, :8].round(6).tolist(),
        "logits_argmax": values.argmax(-1).tolist(),
        "greedy_24": answer,
    }


def write_sequences(folder, entries):
    """Writes golden_logits.json."""
    (folder / "golden_logits.json").write_text(
        "[\n" + ",\n".join(json.dumps(e) for e in entries) + "\n]\n")
