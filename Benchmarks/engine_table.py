"""Writes the medians of engine.sh's figures to docs/develop/benchmarks.md, in their section, and to a
JSON file: engine_table.py FIGURES RESULT PAGE MACHINE.

FIGURES has lines of "name value"; a value that is not a number, such as a version, is printed unchanged.
"""
import json
import statistics
import sys

HEADING = "## The engine"

# The compared figures, by name: a row's title, Stoa's figure, and the others' if they have it.
COMPARED = [
    ("decode, one sequence", "engine_decode_1", "llama_decode_1", "mlx_decode_1"),
    ("decode, 2 sequences together", "engine_decode_2", "llama_decode_2", None),
    ("decode, 4 sequences together", "engine_decode_4", "llama_decode_4", None),
    ("decode, 8 sequences together", "engine_decode_8", "llama_decode_8", None),
    ("decode, 16 sequences together", "engine_decode_16", None, None),
    ("prompt of 128 tokens", "engine_prompt_128", "llama_prompt_128", "mlx_prompt"),
    ("prompt of 512 tokens", "engine_prompt_512", "llama_prompt_512", None),
    ("prompt of 2,048 tokens", "engine_prompt_2048", "llama_prompt_2048", None),
    ("8 clients over the network, 32 tokens in, 48 out, together", "answers", "llama_answers", None),
]

# The other rows: title, format, and names.
OTHERS = [
    ("memory bandwidth, all threads reading between passes of 1 / 4 / 8 sequences", "{:.1f} GB/s",
     ["engine_decode_1_read_gigabytes_per_second", "engine_decode_4_read_gigabytes_per_second",
      "engine_decode_8_read_gigabytes_per_second"]),
    ("share of that used by these passes", "{:.0%}",
     ["engine_decode_1_share_of_read", "engine_decode_4_share_of_read",
      "engine_decode_8_share_of_read"]),
    ("memory bandwidth before, the best of five", "{:.1f} GB/s",
     ["engine_read_fastest_gigabytes_per_second"]),
    ("share of that used by these passes", "{:.0%}",
     ["engine_decode_1_share_of_fastest_read", "engine_decode_4_share_of_fastest_read",
      "engine_decode_8_share_of_fastest_read"]),
    ("multiply-adds of int8, all threads, between passes of prompts of 128 / 512 / 2,048 tokens", "{:.0f} GMAC/s",
     ["engine_prompt_128_int8_gigamacs_per_second", "engine_prompt_512_int8_gigamacs_per_second",
      "engine_prompt_2048_int8_gigamacs_per_second"]),
    ("share of that used by these passes", "{:.0%}",
     ["engine_prompt_128_share_of_int8", "engine_prompt_512_share_of_int8",
      "engine_prompt_2048_share_of_int8"]),
    ("multiply-adds of int8 before, the best of ten", "{:.0f} GMAC/s",
     ["engine_int8_fastest_gigamacs_per_second"]),
    ("share of that used by these passes", "{:.0%}",
     ["engine_prompt_128_share_of_fastest_int8", "engine_prompt_512_share_of_fastest_int8",
      "engine_prompt_2048_share_of_fastest_int8"]),
    ("first token of turn 2 / turn 20 of a conversation, 32 new tokens", "{:,.0f} ms",
     ["engine_turn_2_first_token_ms", "engine_turn_20_first_token_ms"]),
    ("the same turn 20 without the cache", "{:,.0f} ms",
     ["engine_turn_20_without_cache_first_token_ms"]),
    ("8 conversations of 6 turns at once: generated tokens per second", "{:.1f}",
     ["engine_conversations_tokens_per_second"]),
    ("there, first token, median / 95th percentile", "{:,.0f} ms",
     ["engine_conversations_first_token_p50_ms", "engine_conversations_first_token_p95_ms"]),
    ("there, longest gap between two tokens of an answer", "{:,.0f} ms",
     ["engine_conversations_longest_gap_ms"]),
    ("there, the process's own memory / weights mapped", "{:,.0f} MB",
     ["engine_conversations_own_memory_mb", "engine_conversations_mapped_memory_mb"]),
    ("4 answers while a prompt of 2,000 tokens is read: their speed relative to before", "{:.0%}",
     ["engine_beside_share_of_pace"]),
    ("there, tokens per second of each, before / meanwhile", "{:.2f}",
     ["engine_beside_pace_alone_tokens_per_second", "engine_beside_pace_tokens_per_second"]),
    ("there, longest gap between two tokens of an answer", "{:,.0f} ms",
     ["engine_beside_longest_gap_ms"]),
    ("there, until the prompt is read", "{:.0f} s", ["engine_beside_prompt_seconds"]),
    ("a conversation of 2,000 tokens after a restart, first token: from disk / without the cache", "{:,.0f} ms",
     ["engine_restart_from_disk_first_token_ms", "engine_restart_recomputed_first_token_ms"]),
    ("an answer that repeats itself, tokens per second: with drafts / without", "{:.1f}",
     ["engine_drafts_on_tokens_per_second", "engine_drafts_off_tokens_per_second"]),
    ("there, accepted drafts", "{:.0%}", ["engine_drafts_share_right"]),
    ("over the network, first token, median: Stoa / llama-server", "{:,.0f} ms",
     ["answers_first_token_p50_ms", "llama_answers_first_token_p50_ms"]),
]

NOTES = """\
- *Decode*: each sequence has a prompt of 32 tokens and generates 48, one per pass, without sampling, like `llama-batched-bench`;
  one sequence of llama.cpp is `llama-bench`'s 128 tokens from an empty context, which is faster there.
- *Prompt*: read from an empty context in the engine's own chunks, to the last token's logits.
- *Memory bandwidth*: threads that only read large pages: 256 MiB after each pass of decoding, all of them together, and 1 GiB
  five times before, the fastest of them. A virtual machine's memory changes within seconds, so only the first is of the same
  seconds. A pass reads all weights once, except the embedding; keys and values of the cache are not counted.
- *Multiply-adds*: the kernels' instructions on registers only, some hundredths of a second after each pass of a prompt, all of them
  together, and ten times before, the fastest of them. Attention and the head are not counted.
- *Turns*: the same 32 tokens are asked each time, and 8 are answered, so turn 20 has about 760 tokens before it.
- *Conversations at once*: each asks 32 tokens, gets 24, and asks again at once. Gaps are those that a reader sees: a token that is
  part of a character counts with the one that completes it.
- *After a restart*: the pages were written a moment ago, so they are still in the page cache.
- *With drafts*: one answer of 96 tokens, decoded greedily, which with random weights repeat themselves: the best case of speculation.
- In the others, and over the network, Stoa samples at temperature 1: nothing repeats, so there is nothing to speculate on.
- *Over the network*: eight users ask at the same instant; tokens of all answers divided by the time until the last one ends, including
  prompts. Stoa is the whole server with PostgreSQL and WebSockets, llama.cpp is `llama-server -np 8` with streamed HTTP. The clients share the machine.
- *MLX* runs on this processor with float32 activations; its prompt is one of 32 tokens, computed from two layers. That and
  llama.cpp's prompt of 2,048 tokens are measured once.
- *Ratio*: Stoa's figure divided by llama.cpp's."""


def read(path):
    """(numbers by name, texts by name)."""
    numbers, texts = {}, {}
    with open(path) as lines:
        for line in lines:
            name, _, value = line.strip().partition(" ")
            try:
                number = float(value)
            except ValueError:
                texts[name] = value
            else:
                numbers.setdefault(name, []).append(number)
    return numbers, texts


def pace(medians, name):
    return medians.get(f"{name}_tokens_per_second") if name else None


def compared_rows(medians):
    yield "| tokens per second | Stoa | llama.cpp | ratio | MLX |"
    yield "|---|---:|---:|---:|---:|"
    for words, own, llama, mlx in COMPARED:
        ours, theirs, other = (pace(medians, name) for name in (own, llama, mlx))
        if ours is None:
            continue
        cells = ["" if value is None else f"{value:.1f}" for value in (ours, theirs)]
        ratio = f"{ours / theirs:.2f}" if theirs else ""
        last = "" if other is None else f"{other:.2f}"
        yield f"| {words} | {cells[0]} | {cells[1]} | {ratio} | {last} |"


def other_rows(medians):
    yield "| what | figure |"
    yield "|---|---:|"
    for words, form, names in OTHERS:
        values = [form.format(medians[name]) for name in names if name in medians]
        if values:
            yield f"| {words} | {' / '.join(values)} |"


def section(medians, run_count, texts, machine):
    times = "one run" if run_count == 1 else f"medians of {run_count} runs"
    facts = [machine, f"kernels {texts.get('engine_kernels', 'unknown')}"]
    facts.append(f"{texts.get('engine_threads', '?')} threads")
    facts += [texts[name] for name in ("llama_version", "mlx_version") if name in texts]
    return "\n".join([
        HEADING,
        "",
        f"`make bench-engine` measures and writes this section: {times}, each engine in turn, on random weights of the "
        f"named shape.",
        "",
        f"Machine: {'; '.join(facts)}.",
        "",
        *compared_rows(medians),
        "",
        *other_rows(medians),
        "",
        NOTES,
        "",
    ])


def main(figures, result, page, machine):
    numbers, texts = read(figures)
    # A number, but not a figure.
    threads = numbers.pop("engine_threads", None)
    if threads:
        texts["engine_threads"] = f"{threads[0]:.0f}"
    medians = {name: statistics.median(values) for name, values in numbers.items()}
    # A model is loaded several times per run.
    run_count = max(len(values) for name, values in numbers.items() if name != "engine_load_ms")
    with open(result, "w") as file:
        rows = [
            {"name": name, "median": medians[name], "values": values}
            for name, values in numbers.items()
        ]
        json.dump({"machine": machine, "texts": texts, "figures": rows}, file, indent=1)
        file.write("\n")
    with open(page) as file:
        before, _, own = file.read().partition(f"{HEADING}\n")
    # Sections of other measurements follow.
    _, mark, after = own.partition("\n## ")
    text = section(medians, run_count, texts, machine)
    with open(page, "w") as file:
        file.write(f"{before.rstrip()}\n\n{text}{mark}{after}".lstrip())
    print(text)


main(*sys.argv[1:])
