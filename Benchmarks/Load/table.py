"""Prints the medians of what gateway.sh has measured, and writes them: table.py FIGURES RESULT."""

import json
import statistics
import sys

# What a case is judged by, and the rate beside it.
RATES = {
    "echo": "msgs_per_s",
    "fanout": "deliveries_per_s",
    "churn": "cycles_per_s",
    "http": "requests_per_s",
}
PEERS = ["libwebsockets", "uwebsockets", "nginx"]


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


def beside(runs, peers):
    """How often the peer's cost is the server's: the median over the runs in which both were measured.

    A run's servers are measured one right after the other, so that what the machine's speed does between
    runs falls out.
    """
    return median([cost(peers[run]) / cost(runs[run]) for run in runs if run in peers and cost(runs[run])])


def with_tls(peer, server):
    """The peer's server that is to be compared with this one; nginx serves HTTP only."""
    return f"{peer}-tls" if server.endswith("-tls") else peer


def main(source, target):
    measured = {}
    with open(source) as lines:
        for line in lines:
            one = json.loads(line)
            measured.setdefault((one["case"], one["server"]), {})[one["run"]] = one["figures"]
    results = []
    for (case, server), runs in measured.items():
        figures = list(runs.values())
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
                **{f"beside_{peer}": beside(runs, measured.get((case, with_tls(peer, server)), {})) for peer in PEERS},
            }
        )
    with open(target, "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    print("| case | server | CPU per message, or memory | per second | p99 | relative to libwebsockets | to uWebSockets | to nginx |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for result in results:
        rate = "" if result["rate"] is None else f"{result['rate']:,.0f}"
        p99 = "" if result["p99_us"] is None else f"{result['p99_us']:,.0f} us"
        ratios = [result[f"beside_{peer}"] for peer in PEERS]
        columns = " | ".join("" if ratio is None else f"{ratio:.2f}x" for ratio in ratios)
        print(
            f"| {result['case']} | {result['server']} | {result['cost']:.2f} {result['unit']} "
            f"| {rate} | {p99} | {columns} |"
        )


main(*sys.argv[1:])
