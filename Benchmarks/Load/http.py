"""Measures a server's CPU per request with wrk: http.py URL PID SECONDS [HEADER]. Prints a line of JSON like wsload."""

import json
import os
import re
import subprocess
import sys

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    """User and system time of all threads of a process."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[11]) / TICKS, int(fields[12]) / TICKS


def wrk(url, seconds, headers):
    arguments = ["wrk", "-t1", "-c32", f"-d{seconds}", *(f"-H{header}" for header in headers), url]
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


def main(url, pid, seconds, *headers):
    wrk(url, 1, headers)
    before = cpu_seconds(pid)
    report = wrk(url, seconds, headers)
    user, system = (after - start for after, start in zip(cpu_seconds(pid), before))
    count = int(re.search(r"(\d+) requests in", report)[1])
    is_good = "Non-2xx" not in report and "Socket errors" not in report and count > 0
    print(
        json.dumps(
            {
                "mode": "http",
                "requests_per_s": count / float(seconds),
                "server_us_per_msg": (user + system) * 1e6 / max(count, 1),
                "server_kernel_us_per_msg": system * 1e6 / max(count, 1),
                "ok": is_good,
            }
        )
    )
    if not is_good:
        sys.exit(report)


main(*sys.argv[1:])
