#!/usr/bin/env python3
"""Updates a server under load: an old program serves, a new one joins its data directory and migrates, both
serve, the old one is killed and started again, and leaves in the end. Clients send questions to both all the
time, and repeat what got no reply with its key. In the end each acknowledged question must be there once, with a
complete answer. Usage: rolling_upgrade.py OLD NEW [SECONDS]"""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from chat import Route, WebSocket, sign_in
from processes import PASSWORD


class Server:
    """`stoa serve` on a port of its own."""

    def __init__(self, program, folder, name):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.route = Route("127.0.0.1", self.port)
        self.program, self.folder, self.name, self.process = program, folder, name, None

    def command(self, *arguments, **options):
        environment = {**os.environ, "HF_ENDPOINT": "http://127.0.0.1:9", "HF_HOME": f"{self.folder}/hub"}
        command = [self.program, *arguments, "--data-dir", f"{self.folder}/data"]
        return subprocess.Popen(command, env=environment, text=True, **options)

    def start(self):
        """Waits until it is ready. Returns what it says if it ends instead."""
        log = open(f"{self.folder}/{self.name}.log", "a", encoding="utf-8")
        arguments = ["serve", "--host", "127.0.0.1", "--port", str(self.port), "--lease-seconds", "3"]
        arguments += ["--questions-per-minute", "0", "--queue-limit", "100000"]
        self.process = self.command(*arguments, stdout=subprocess.PIPE, stderr=log)
        for line in self.process.stdout:
            if line.startswith("ready"):
                threading.Thread(target=self.process.stdout.read, daemon=True).start()
                return None
        self.process.wait()
        self.process = None
        return pathlib.Path(log.name).read_text(encoding="utf-8").strip().splitlines()[-1]

    def end(self, number):
        process, self.process = self.process, None
        process.send_signal(number)
        return process.wait(60)


class Client(threading.Thread):
    """Sends questions in a conversation of its own, to one server after the other."""

    def __init__(self, number, servers, token):
        super().__init__(daemon=True)
        self.number, self.servers, self.token = number, servers, token
        self.conversation, self.acknowledged, self.problems, self.is_done = None, {}, {}, False

    def run(self):
        count, tries = 0, 0
        connection = None
        while not self.is_done or count > len(self.acknowledged):
            alive = [server for server in self.servers if server.process]
            try:
                if connection is None or tries % 5 == 0:
                    connection = WebSocket(alive[tries // 5 % len(alive)].route, self.token)
                tries += 1
                if not self.conversation:
                    settings = {"max_tokens": 12}
                    key = f"conversation {self.number}"
                    made = connection.call("conversation.create", key=key, settings=settings)
                    self.conversation = made["conversation"]["id"]
                key = f"{self.number}-{len(self.acknowledged)}"
                count = max(count, len(self.acknowledged) + 1)
                sent = connection.call(
                    "message.send", conversation=self.conversation, key=key, text=f"What is {count} + 1?"
                )
                self.acknowledged[key] = (sent["message"]["id"], sent["answer"]["id"])
                time.sleep(0.3)
            except (OSError, IndexError) as problem:
                reason = str(problem)[:100]
                self.problems[reason] = self.problems.get(reason, 0) + 1
                connection = None
                tries += 5
                time.sleep(0.2)


def all_messages(connection, conversation):
    messages, before = [], None
    while True:
        body = {"before": before} if before else {}
        page = connection.call("message.list", conversation=conversation, limit=100, **body)["messages"]
        messages = page + messages
        if len(page) < 100:
            return messages
        before = page[0]["id"]


def main():
    old_program, new_program = (str(pathlib.Path(name).resolve()) for name in sys.argv[1:3])
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 10
    folder = tempfile.mkdtemp(prefix="stoa-upgrade-", dir="/var/tmp")
    os.chmod(folder, 0o755)
    old, new = Server(old_program, folder, "old"), Server(new_program, folder, "new")
    failures = []
    try:
        adding = old.command("user", "add", "ada", "--password-stdin", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        adding.communicate(PASSWORD + "\n")
        problem = old.start()
        if problem:
            sys.exit(f"the old program does not start: {problem}")
        token = sign_in(old.route, "ada")
        clients = [Client(number, [old, new], token) for number in range(6)]
        for client in clients:
            client.start()

        def sent():
            return sum(len(client.acknowledged) for client in clients)

        time.sleep(seconds)
        print(f"old alone: {sent()} questions acknowledged")
        begin = time.monotonic()
        problem = new.start()
        if problem:
            sys.exit(f"the new program does not start: {problem}")
        print(f"new joined after {time.monotonic() - begin:.1f} s: {sent()}")
        time.sleep(seconds)
        print(f"both: {sent()}")
        old.end(signal.SIGKILL)
        problem = old.start()
        print(f"old killed and started again: {problem or 'it serves'}")
        time.sleep(seconds)
        print(f"then: {sent()}")
        if old.process:
            print(f"old stopped with {old.end(signal.SIGTERM)}")
        time.sleep(seconds / 2)
        for client in clients:
            client.is_done = True
        for client in clients:
            client.join(60)
        print(f"new alone: {sent()}")

        connection = WebSocket(new.route, token)
        deadline = time.monotonic() + 240
        for client in clients:
            while True:
                messages = all_messages(connection, client.conversation)
                if all(m["state"] not in ("queued", "streaming") for m in messages):
                    break
                if time.monotonic() > deadline:
                    break
                time.sleep(0.5)
            ids = [m["id"] for m in messages]
            expected = [i for pair in client.acknowledged.values() for i in pair]
            if ids != expected:
                failures.append(f"conversation {client.number}: {len(ids)} messages, {len(expected)} acknowledged")
            states = {m["state"] for m in messages}
            if states != {"complete"}:
                failures.append(f"conversation {client.number}: messages are {sorted(states)}")
        problems = {}
        for client in clients:
            for reason, count in client.problems.items():
                problems[reason] = problems.get(reason, 0) + count
        for reason, count in sorted(problems.items()):
            print(f"repeated {count} times: {reason}")
        doctor = new.command("doctor", "--thorough", "--port", "0", stdout=subprocess.PIPE)
        report = doctor.communicate()[0]
        for line in report.splitlines():
            if " ledger " in line or " migrations " in line:
                print(line.strip())
        new.end(signal.SIGTERM)
    finally:
        for server in (old, new):
            if server.process:
                server.end(signal.SIGTERM)
        if failures:
            print(f"logs: {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    for failure in failures:
        print(failure, file=sys.stderr)
    print("failed" if failures else "nothing acknowledged was lost or doubled")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
