#!/usr/bin/env python3
"""Requests /healthz from a server every five milliseconds over one connection, until it is stopped by a
signal, and then writes the response times:

    python3 ping.py URL NAME

The output has lines "NAME_p50_ms FIGURE", like stoa-bench's.
"""
import http.client
import signal
import sys
import time
from urllib.parse import urlsplit

url, name = sys.argv[1:]
going = True


def stop(*_):
    global going
    going = False


signal.signal(signal.SIGTERM, stop)
connection = http.client.HTTPConnection(urlsplit(url).netloc)
times = []
while going:
    start = time.perf_counter()
    connection.request("GET", "/healthz")
    connection.getresponse().read()
    times.append(time.perf_counter() - start)
    time.sleep(0.005)
times.sort()
for label, share in (("p50", 0.5), ("p99", 0.99), ("max", 1)):
    index = min(len(times) - 1, int(len(times) * share))
    print(f"{name}_{label}_ms {times[index] * 1000:.3f}")
