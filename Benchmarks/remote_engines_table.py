"""Makes the table of Benchmarks/remote_engines.sh from its figures: lines of "mode name run figure value".
With --write it replaces the section in docs/develop/benchmarks.md.
Usage: remote_engines_table.py FIGURES CLIENTS TOKENS PAUSE RUNS [--write]"""

import collections
import platform
import re
import statistics
import sys

NAMES = {"direct": "the engine itself", "stoa": "Stoa", "litellm": "litellm's proxy"}
PAGE = "docs/develop/benchmarks.md"


def processor():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor()


def main():
    path, clients, tokens, pause, runs = sys.argv[1:6]
    values = collections.defaultdict(list)
    for line in open(path):
        mode, name, _, figure, value = line.split()
        values[mode, name, figure].append(float(value))
    median = {key: statistics.median(found) for key, found in values.items()}
    names = [name for name in NAMES if ("full", name, "tokens_per_second") in median]
    lines = [
        "## Remote engines", "",
        f"`Benchmarks/remote_engines.sh --write` measures and writes this section: {clients} clients stream "
        f"answers of {tokens} tokens from an engine that costs nothing, medians of {runs} runs. Server and "
        "PostgreSQL, or the proxy, have one core; engine and clients the other. For the time to the first "
        f"token the engine sends a token every {pause} ms in each answer, for tokens per second all at once.",
        "", f"Machine: {processor()}.", "",
        "| asked | first token, median | 99th percentile | more than direct | tokens/s, paced | tokens/s "
        "| of direct |", "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name in names:
        first = median["paced", name, "first_token_ms_median"]
        late = median["paced", name, "first_token_ms_p99"]
        more = first - median["paced", "direct", "first_token_ms_median"]
        paced = median["paced", name, "tokens_per_second"]
        full = median["full", name, "tokens_per_second"]
        share = full / median["full", "direct", "tokens_per_second"]
        lines.append(
            f"| {NAMES[name]} | {first:.1f} ms | {late:.1f} ms | {more:.1f} ms | {paced:,.0f} "
            f"| {full:,.0f} | {share:.2f} |")
    failures = sum(sum(found) for (_, _, figure), found in values.items() if figure == "failures")
    if failures:
        lines += ["", f"{failures:.0f} clients failed."]
    print("\n".join(lines))
    if "--write" not in sys.argv:
        return
    page = open(PAGE).read()
    section = "\n".join(lines) + "\n"
    if "## Remote engines\n" in page:
        page = re.sub(r"## Remote engines\n.*?(?=\n## |\Z)", lambda _: section, page, flags=re.S)
    else:
        page = page.rstrip() + "\n\n" + section
    open(PAGE, "w").write(page)


if __name__ == "__main__":
    main()
