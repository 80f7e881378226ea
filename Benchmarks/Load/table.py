"""Prints the medians of what gateway.sh has measured, and writes them: table.py FIGURES RESULT."""

import json
import statistics
import sys

# What a case is judged by, and the rate beside it.
RATES = {
    "echo": "msgs_per_s",
    "fanout": "deliveries_per_s",
    "churn": "cycles_per_s",
}
PEER = "libwebsockets"


def cost(figures):
    """Microseconds of the server's CPU for a message; bytes of its memory for an idle connection."""
    if figures["mode"] == "idle":
        return figures["after_echo_bytes_per_conn"]
    return figures["server_us_per_msg"]


def latency(figures):
    for name in ("latency_us", "delivery_us", "upgrade_us"):
        if name in figures:
            return figures[name]["p99"]
    return None


def median(values):
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None


def main(source, target):
    runs = {}
    with open(source) as lines:
        for line in lines:
            run = json.loads(line)
            runs.setdefault((run["case"], run["server"]), []).append(run["figures"])
    results = []
    for (case, server), figures in runs.items():
        rate = RATES.get(figures[0]["mode"])
        results.append(
            {
                "case": case,
                "server": server,
                "runs": len(figures),
                "unit": "bytes" if rate is None else "us",
                "cost": median([cost(run) for run in figures]),
                "rate": median([run[rate] for run in figures]) if rate else None,
                "p99_us": median([latency(run) for run in figures]),
            }
        )
    with open(target, "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    peers = {result["case"]: result for result in results if result["server"] == PEER}
    print("| case | server | CPU a message, or memory | a second | p99 | beside libwebsockets |")
    print("|---|---|---:|---:|---:|---:|")
    for result in results:
        rate = "" if result["rate"] is None else f"{result['rate']:,.0f}"
        p99 = "" if result["p99_us"] is None else f"{result['p99_us']:,.0f} us"
        peer = peers.get(result["case"])
        ratio = f"{peer['cost'] / result['cost']:.2f}x" if peer and result["cost"] else ""
        print(
            f"| {result['case']} | {result['server']} | {result['cost']:.2f} {result['unit']} "
            f"| {rate} | {p99} | {ratio} |"
        )


main(*sys.argv[1:])
