#!/usr/bin/env python3
"""Asks the same questions at temperature 0 of the embedded engine, of Stoa behind Stoa, and of the
engines of `make setup-engines` behind Stoa, and compares the texts.

    FOLDER/venv/bin/python Tools/engines/compare.py --engines FOLDER [--stoa PROGRAM] [--count 300] [--only NAME,…]

The variables LLAMA_SERVER, VLLM and OLLAMA name programs of yours to compare with, too.

Where a text differs, it prints the first differing token, and the margin there: how much more likely
the likeliest token is than the second one, as the difference of their logits by MLX. A margin
near zero is floating point: MLX computes in 16 bits, and Stoa with activations in 8. A large one is a
fault: it exits with 1 if a margin is above 0.1. A space at the beginning of a text does not count, as
mlx_lm.server leaves it out.
"""
import argparse
import hashlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MARGIN_MAX = 0.1
TOKENS_MAX = 120
SYSTEM = "You are friendly."


def questions(count):
    """The first questions of the everyday conversations that the demo model is tested with."""
    with open(ROOT / "Tools/demo-model/everyday.jsonl") as file:
        return [json.loads(line)["turns"][0] for line in file][:count]


class Stoa:
    """A server with a database of its own, and an administrator who is signed in."""

    def __init__(self, program, folder, settings):
        self.program, self.folder = program, folder
        os.makedirs(folder)
        self.log = open(f"{folder}.log", "w")
        self.process = subprocess.Popen(
            [program, "serve", "--data-dir", folder, "--host", "127.0.0.1", "--port", "0",
             "--titles", "off", "--questions-per-minute", "0", *settings],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("ready http://"):
            raise SystemExit(f"Stoa does not start: see {folder}.log")
        self.port = int(line.strip().rsplit(":", 1)[1])
        subprocess.run(
            [program, "user", "add", "ada", "--admin", "--password-stdin", "--data-dir", folder],
            input="correct horse battery\n", text=True, check=True, stdout=subprocess.DEVNULL)
        self.token = self.request("/api/v1/session", {
            "username": "ada", "password": "correct horse battery"})["token"]

    def request(self, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        headers = {"Content-Type": "application/json"}
        if hasattr(self, "token"):
            headers["Authorization"] = f"Bearer {self.token}"
        connection.request("POST", path, json.dumps(body), headers)
        reply = connection.getresponse()
        text = reply.read()
        connection.close()
        if reply.status != 200:
            raise SystemExit(f"{path}: {reply.status} {text.decode()}")
        return json.loads(text)

    def ask(self, model, question):
        reply = self.request("/v1/chat/completions", {
            "model": model, "temperature": 0, "max_completion_tokens": TOKENS_MAX, "messages": [
                {"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]})
        return reply["choices"][0]["message"]["content"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.log.close()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def programs(engines):
    """The engines that are there, by name: the program's arguments before its port, and the words that
    Stoa gets."""
    venv, gguf, tokenizer = f"{engines}/venv/bin", f"{engines}/demo.gguf", f"tokenizer={engines}/demo"
    found = {
        "mlx_lm.server": (
            [f"{venv}/mlx_lm.server", "--model", f"{engines}/demo", "--port"],
            f"model={engines}/demo slots=8"),
        "llama-cpp-python": (
            [f"{venv}/python", "-m", "llama_cpp.server", "--model", gguf, "--model_alias", "demo",
             "--n_ctx", "2048", "--port"], "model=demo"),
        "llama-server": (
            [os.environ.get("LLAMA_SERVER", f"{engines}/bin/llama-server"), "-m", gguf, "-a", "demo",
             "-c", "8192", "-np", "4", "-t", "1", "--port"], f"model=demo {tokenizer}"),
        "vLLM": (
            [os.environ.get("VLLM", ""), "serve", f"{engines}/demo-float", "--served-model-name", "demo",
             "--dtype", "float32", "--enforce-eager", "--max-num-seqs", "8", "--host", "127.0.0.1",
             "--port"], f"model=demo {tokenizer}"),
        "Ollama": ([os.environ.get("OLLAMA", ""), "serve"], "model=demo context=2048"),
    }
    return {name: entry for name, entry in found.items() if shutil.which(entry[0][0])}


def import_model(port, path):
    """Makes Ollama know a GGUF file as `demo`."""
    data = Path(path).read_bytes()
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    body = {"model": "demo", "files": {"demo.gguf": digest}, "parameters": {"num_thread": 1},
            "stream": False}
    for target, content in [(f"/api/blobs/{digest}", data), ("/api/create", json.dumps(body))]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", target, content)
        reply = connection.getresponse()
        if reply.status >= 300:
            raise SystemExit(f"Ollama: {reply.read().decode()}")


def start(arguments, port, folder, gguf):
    """Starts an engine, and waits until it lists its models."""
    environment = dict(
        os.environ, HF_HOME=folder, HF_HUB_OFFLINE="1", VLLM_NO_USAGE_STATS="1",
        VLLM_CPU_KVCACHE_SPACE="1", VLLM_CPU_OMP_THREADS_BIND="nobind", OMP_NUM_THREADS="1")
    is_ollama = arguments[-1] == "serve"
    if is_ollama:
        environment.update(HOME=folder, OLLAMA_MODELS=f"{folder}/models",
                           OLLAMA_HOST=f"127.0.0.1:{port}", OLLAMA_CONTEXT_LENGTH="2048")
    else:
        arguments = arguments + [str(port)]
    os.makedirs(f"{folder}/hub", exist_ok=True)
    log = open(f"{folder}/{port}.log", "w")
    process = subprocess.Popen(arguments, stdout=log, stderr=log, env=environment)
    if is_ollama:
        time.sleep(2)
        import_model(port, gguf)
    for _ in range(900):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/v1/models")
            if b'"id"' in connection.getresponse().read():
                return process
        except OSError:
            pass
        time.sleep(0.2)
    process.kill()
    raise SystemExit(f"{arguments[0]} does not start: see {folder}/{port}.log")


class Margins:
    """The logits of MLX, for the margins of tokens."""

    def __init__(self, folder):
        import mlx.core as mx
        from mlx_lm import load
        self.mx = mx
        self.model, self.tokenizer = load(folder)

    def at_difference(self, question, text, other):
        """The first differing tokens, and the margin there."""
        prompt = self.tokenizer.apply_chat_template(
            [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}],
            add_generation_prompt=True)
        ours = self.tokenizer.encode(text, add_special_tokens=False)
        theirs = self.tokenizer.encode(other, add_special_tokens=False)
        place = next((index for index, (one, two) in enumerate(zip(ours, theirs)) if one != two),
                     min(len(ours), len(theirs)))
        logits = self.model(self.mx.array([prompt + ours[:place]]))[0, -1]
        best = sorted(logits.tolist(), reverse=True)[:2]
        name = lambda ids: self.tokenizer.decode(ids[place:place + 1]) or "end"
        return place, name(ours), name(theirs), best[0] - best[1]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", required=True, help="folder of make setup-engines")
    parser.add_argument("--stoa", default=str(ROOT / ".build/release/stoa"))
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--only", help="names of engines, with commas")
    options = parser.parse_args()
    engines = os.path.realpath(options.engines)
    asked = questions(options.count)
    folder = tempfile.mkdtemp(prefix="stoa-compare-", dir="/var/tmp")
    os.chmod(folder, 0o755)
    processes, servers = [], []
    try:
        far = Stoa(options.stoa, f"{folder}/far", [])
        servers.append(far)
        keys = f"{folder}/key"
        Path(keys).write_text(far.token)
        words = [f"http://127.0.0.1:{far.port}/v1 model=stoa-demo as=stoa-behind-stoa key-file={keys}"]
        for name, (arguments, setting) in programs(engines).items():
            if options.only and name not in options.only.split(","):
                continue
            port = free_port()
            processes.append(start(arguments, port, folder, f"{engines}/demo.gguf"))
            words.append(f"http://127.0.0.1:{port}/v1 as={name} {setting}")
        near = Stoa(options.stoa, f"{folder}/near",
                    [part for word in words for part in ("--remote-engine", word)])
        servers.append(near)
        failed = report(near, asked, [word.split("as=")[1].split(" ")[0] for word in words],
                        Margins(f"{engines}/demo"))
    finally:
        for server in servers:
            server.stop()
        for process in processes:
            # So that it ends its own children.
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(folder)
    raise SystemExit(1 if failed else 0)


def report(near, asked, names, margins):
    with ThreadPoolExecutor(8) as pool:
        own = list(pool.map(lambda question: near.ask("stoa-demo", question), asked))
    tokens = sum(len(margins.tokenizer.encode(text)) for text in own)
    print(f"{len(asked)} questions, {tokens} tokens by the embedded engine")
    failed = False
    for name in names:
        start = time.monotonic()
        with ThreadPoolExecutor(8) as pool:
            texts = list(pool.map(lambda question: near.ask(name, question), asked))
        different = [(question, text, other) for question, text, other in zip(asked, own, texts)
                     if text.lstrip(" ") != other.lstrip(" ")]
        print(f"{name}: {len(asked) - len(different)} of {len(asked)} texts are equal, "
              f"{time.monotonic() - start:.0f} s")
        for question, text, other in different:
            place, ours, theirs, margin = margins.at_difference(question, text, other)
            failed = failed or margin > MARGIN_MAX
            print(f"  {question!r}: token {place}, {ours!r} and {theirs!r}, margin {margin:.4f}")
    return failed


if __name__ == "__main__":
    main()
