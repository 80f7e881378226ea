"""Measures llama.cpp with its own tools, and its server with concurrent clients. Prints
lines of "name value", in tokens per second.

    llama_speed.py --tools FOLDER --model FILE --threads N prompts --counts 128,512
    llama_speed.py --tools FOLDER --model FILE --threads N decode
    llama_speed.py --tools FOLDER --model FILE --threads N network --clients 8 --prompt 32 --answer 48
"""
import argparse
import http.client
import json
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path


def lines_of_json(tool, *arguments):
    """The JSON lines of a tool's output."""
    done = subprocess.run(
        [str(tool), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{tool.name} ended with {done.returncode}: {done.stderr[-2000:]}")
    # Some releases log to stdout, others to stderr.
    for line in done.stdout.splitlines() + done.stderr.splitlines():
        if line.startswith("{"):
            yield json.loads(line)


def report(name, value):
    print(f"llama_{name} {value:.2f}", flush=True)


def bench(options, *arguments):
    tool = options.tools / "llama-bench"
    return lines_of_json(
        tool, "-m", str(options.model), "-t", str(options.threads), "-r", "1", "-o", "jsonl", *arguments)


def measure_prompts(options):
    for count in options.counts.split(","):
        # No warmup for a long prompt: it takes minutes.
        warmth = [] if int(count) < 512 else ["--no-warmup"]
        for run in bench(options, "-p", count, "-n", "0", *warmth):
            report(f"prompt_{count}_tokens_per_second", run["avg_ts"])


def measure_decode(options):
    for run in bench(options, "-p", "0", "-n", "128"):
        report("decode_1_tokens_per_second", run["avg_ts"])
    threads = str(options.threads)
    runs = lines_of_json(
        options.tools / "llama-batched-bench", "-m", str(options.model), "-c", "4096", "-b", "512",
        "-ub", "512", "-npp", "32", "-ntg", "48", "-npl", options.batches, "-t", threads,
        "-tb", threads, "--output-format", "jsonl")
    for run in runs:
        report(f"decode_{run['pl']}_tokens_per_second", run["speed_tg"])


class Client(threading.Thread):
    """Requests one answer, and reads it as a stream."""

    def __init__(self, port, options, number):
        super().__init__()
        self.port, self.options = port, options
        self.random = random.Random(number)
        self.first = self.tokens = None

    def run(self):
        prompt = [self.random.randint(300, 30000) for _ in range(self.options.prompt)]
        body = json.dumps({
            "prompt": prompt, "n_predict": self.options.answer, "ignore_eos": True, "stream": True,
            "temperature": 0, "cache_prompt": False, "return_tokens": True})
        start = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request("POST", "/completion", body, {"Content-Type": "application/json"})
        count, last = 0, {}
        for line in connection.getresponse():
            if not line.startswith(b"data:") or b"[DONE]" in line:
                continue
            self.first = self.first or time.perf_counter() - start
            last = json.loads(line[len(b"data:"):])
            count += 1
        self.tokens = last.get("tokens_predicted", count)


def ask_together(port, options):
    clients = [Client(port, options, number) for number in range(options.clients)]
    start = time.perf_counter()
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    seconds = time.perf_counter() - start
    if any(not client.tokens for client in clients):
        sys.exit("a client of llama-server got no answer")
    report("answers_tokens_per_second", sum(client.tokens for client in clients) / seconds)
    report("answers_first_token_p50_ms", 1000 * statistics.median(client.first for client in clients))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until_healthy(port, server):
    end = time.monotonic() + 300
    while time.monotonic() < end and server.poll() is None:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        time.sleep(0.2)
    sys.exit("llama-server does not become healthy")


def measure_network(options):
    port, threads = free_port(), str(options.threads)
    command = [
        str(options.tools / "llama-server"), "-m", str(options.model), "-np", str(options.clients),
        "-c", str(1024 * options.clients), "-t", threads, "-tb", threads,
        "--host", "127.0.0.1", "--port", str(port)]
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            wait_until_healthy(port, server)
            ask_together(port, options)
        finally:
            server.terminate()
            server.wait()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, required=True, help="the folder of llama.cpp's tools")
    parser.add_argument("--model", type=Path, required=True, help="a GGUF file")
    parser.add_argument("--threads", type=int, required=True)
    parts = parser.add_subparsers(required=True)
    prompts = parts.add_parser("prompts")
    prompts.add_argument("--counts", default="128,512")
    prompts.set_defaults(measure=measure_prompts)
    decode = parts.add_parser("decode")
    decode.add_argument("--batches", default="2,4,8")
    decode.set_defaults(measure=measure_decode)
    network = parts.add_parser("network")
    network.add_argument("--clients", type=int, default=8)
    network.add_argument("--prompt", type=int, default=32)
    network.add_argument("--answer", type=int, default=48)
    network.set_defaults(measure=measure_network)
    options = parser.parse_args()
    options.measure(options)


if __name__ == "__main__":
    main()
