#!/usr/bin/env python3
"""Starts what Deploy/compose/compose.yaml says without a container engine, and chats through it: each service is a process in
a network namespace of its own, with the file's environment, arguments and configurations, and finds the others by
their names. Restarts PgBouncer and a node. Checks the file by the schema of Compose, too, where compose-spec is there.

    Deploy/checks/compose.py [PROGRAM]

Needs root, iproute2, openssl, PyYAML, PostgreSQL's programs, pgbouncer and caddy. Exit status: 0 if all is well.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ModuleNotFoundError:
    sys.exit(print("skipped (no Python package PyYAML): compose.yaml"))

from chat import Route, WebSocket, messages, sign_in
from network import Bridge, make_certificate
from processes import Node, Postgres, Process, add_user, as_postgres, end_cleanly, program_to_check, step, wait

FILE = pathlib.Path(__file__).resolve().parents[1] / "compose/compose.yaml"
VARIABLES = {"STOA_NAME": "chat.example.org", "DATABASE_PASSWORD": "secret"}


def interpolated(value):
    """Compose's own variables: ${NAME}, ${NAME:?}, and $$ for a dollar."""
    if isinstance(value, dict):
        return {key: interpolated(item) for key, item in value.items()}
    if isinstance(value, list):
        return [interpolated(item) for item in value]
    if not isinstance(value, str):
        return value
    pattern = re.compile(r"\$\$|\$\{(\w+)(?::\?[^}]*)?\}")
    return pattern.sub(lambda found: "$" if found[0] == "$$" else VARIABLES[found[1]], value)


def check_schema():
    try:
        import compose_spec
    except ModuleNotFoundError:
        print("skipped (no Python package compose-spec): the schema of compose.yaml")
        return
    # Anchors and merges belong to YAML, not to the schema.
    compose_spec.PyCompose.from_json(json.dumps(yaml.safe_load(FILE.read_text())))
    print("compose.yaml follows the schema")


class Services:
    """The file, and the processes for it."""

    def __init__(self, work, program, bridge):
        self.work, self.program, self.bridge = work, program, bridge
        self.file = interpolated(yaml.safe_load(FILE.read_text()))
        for name in self.file["services"]:
            bridge.add(name)

    def configuration(self, name, replacements=()):
        text = self.file["configs"][name]["content"]
        for old, new in replacements:
            assert old in text, f"the configuration {name} lacks {old}"
            text = text.replace(old, new)
        path = self.work / name
        path.write_text(text)
        path.chmod(0o644)
        return path

    def postgres(self):
        environment = self.file["services"]["postgres"]["environment"]
        assert environment["POSTGRES_USER"] == environment["POSTGRES_DB"] == "stoa"
        return Postgres(self.work, 5432, "*", environment["POSTGRES_PASSWORD"], self.bridge.inside("postgres"))

    def pgbouncer(self):
        users = self.configuration("users")
        settings = self.configuration("pgbouncer", [("/etc/pgbouncer/users.txt", str(users))])
        command = [*self.bridge.inside("pgbouncer"), "pgbouncer", settings]
        if as_postgres():
            command[-1:-1] = ["-u", "postgres"]
        return Process(command, self.work / "pgbouncer.log")

    def node(self, name):
        environment = dict(self.file["services"][name]["environment"])
        # What the image has, but for the folder.
        environment |= {"STOA_HOST": "0.0.0.0", "STOA_DATA_DIR": str(self.work / f"data-{name}"), "STOA_PORT": "8080"}
        return Node(self.program, self.work, name, 8080, [], environment, self.bridge.inside(name))

    def caddy(self):
        name = VARIABLES["STOA_NAME"]
        certificate = f"tls {self.work}/chain.pem {self.work}/key.pem"
        # Instead of a certificate from the network.
        settings = self.configuration("caddy", [("request_body {", certificate + "\n  request_body {")])
        service = self.file["services"]["caddy"]
        command = [str(settings) if word == "/etc/caddy/Caddyfile" else word for word in service["command"]]
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.work), "STOA_NAME": name, **service["environment"]}
        return Process([*self.bridge.inside("caddy"), *command], self.work / "caddy.log", environment)


def ask(route, token, key, seconds=60):
    """A client that repeats what was lost, until its question has an answer."""
    def attempt():
        try:
            with contextlib.closing(WebSocket(route, token)) as socket:
                made = socket.call("conversation.create", key=key, settings={"max_tokens": 12})
                conversation = made["conversation"]["id"]
                socket.call("message.send", conversation=conversation, key=f"{key}q", text="What is 2 + 3?")
                wait("an answer", lambda: messages(socket, conversation)[-1]["state"] == "complete")
                return True
        except OSError:
            return None
    wait("a client goes on", attempt, seconds)


def check(work, program):
    make_certificate(work, VARIABLES["STOA_NAME"])
    with contextlib.ExitStack() as stack:
        services = Services(work, program, stack.enter_context(Bridge(work)))
        database = stack.enter_context(services.postgres())
        database.allow_network()
        for statement in services.file["configs"]["role"]["content"].strip().split(";"):
            if statement.strip():
                database.query(statement)
        pgbouncer = stack.enter_context(services.pgbouncer())
        nodes = [stack.enter_context(services.node(name)) for name in ("one", "two")]
        with step("two nodes are ready through PgBouncer"):
            for node in nodes:
                node.wait_until_ready()
        socket_url = f"postgresql:///stoa?host={database.folder}&user=postgres"
        add_user(program, work, "ann", socket_url)
        stack.enter_context(services.caddy())
        route = Route(services.bridge.addresses["caddy"], 443, VARIABLES["STOA_NAME"], work / "chain.pem")
        def signed_in():
            with contextlib.suppress(OSError):
                return sign_in(route)
        with step("somebody signs in and chats through Caddy"):
            token = wait("signing in", signed_in)
            ask(route, token, "first")
        for node in nodes:
            with step(f"people go on while {node.log.stem} is stopped"):
                node.stop()
                ask(route, token, node.log.stem)
                node.start()
                node.wait_until_ready()
        with step("people go on after a restart of PgBouncer"):
            pgbouncer.kill()
            pgbouncer.start()
            ask(route, token, "pgbouncer")


def main():
    if os.geteuid() != 0:
        sys.exit("failed: only root makes network namespaces")
    missing = [name for name in ("pgbouncer", "caddy", "ip") if not shutil.which(name, path="/usr/sbin:/usr/bin:/sbin")]
    if "STOA_CHECK_NAMESPACE" not in os.environ:
        check_schema()
        if missing:
            print(f"skipped (not installed: {' '.join(missing)}): compose.yaml as processes")
            return
        os.environ["STOA_CHECK_NAMESPACE"] = "1"
        os.execvp("unshare", ["unshare", "-n", "-m", sys.executable, *sys.argv])
    end_cleanly()
    folder = tempfile.mkdtemp(prefix="stoa-compose-", dir="/var/tmp")
    os.chmod(folder, 0o755)
    try:
        check(pathlib.Path(folder), program_to_check())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
