#!/usr/bin/env python3
"""Runs a server with traffic and a Prometheus that scrapes it, and asks Prometheus each expression of the rules and
of Grafana's dashboard. Fails on an expression with an error, on a metric or label that the server does not report, on
a panel that stays empty, on an alert while the server is healthy, and on none after it ended.

    Deploy/prometheus/check.py [PROGRAM]    PROGRAM is .build/release/stoa unless given

Needs prometheus and promtool (Debian's package prometheus), and PostgreSQL's programs. Exit status: 0 if all is well.
"""

import contextlib
import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

FOLDER = pathlib.Path(__file__).resolve().parent
DASHBOARD = FOLDER.parent / "grafana/stoa.json"
PASSWORD, TOKEN = "a good long password", "token-of-the-check"
# Panels that may be empty: nothing need be speculated.
MAY_BE_EMPTY = {"Accepted speculative tokens"}
SELECTOR = re.compile(r'\b((?:stoa|process)_\w+|up\b)(\{[^}]*\})?')


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait(what, attempt, seconds=120):
    """Repeats `attempt` until it returns something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if (found := attempt()) is not None:
            return found
        time.sleep(0.5)
    sys.exit(f"Prometheus: {what} did not come in {seconds} s")


@contextlib.contextmanager
def running(command, log):
    with open(log, "w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=60)


class Server:
    """The server under watch. Its remote engine does not exist, and is never asked."""

    def __init__(self, program, work):
        self.program, self.work, self.log = program, work, work / "server.log"
        self.command = [
            program, "serve", "--data-dir", work / "data", "--host", "127.0.0.1", "--port", "0",
            "--metrics-token", TOKEN,
            "--remote-engine", f"http://127.0.0.1:{free_port()}/v1 model=none as=none label=none context=4096",
        ]

    def url(self, process):
        if process.poll() is not None:
            sys.exit(f"Prometheus: the server ended: {self.log.read_text()}")
        ready = re.search(r"^ready (\S+)", self.log.read_text(), re.MULTILINE)
        return ready and ready[1]

    def run(self, arguments, text):
        environment = {"HOME": self.work, "XDG_STATE_HOME": self.work / "state", "PATH": "/usr/bin:/bin"}
        return subprocess.run(
            [self.program, *arguments], input=text, text=True, capture_output=True, env=environment, timeout=120
        )

    def add_user(self):
        arguments = ["user", "add", "ann", "--admin", "--password-stdin", "--data-dir", self.work / "data"]
        self.run(arguments, PASSWORD + "\n").check_returncode()

    def chat(self, url, password=PASSWORD):
        arguments = ["chat", "--server", url, "--user", "ann", "--password-stdin"]
        return self.run(arguments, f"{password}\nWhat is 2 + 3?\n")


class Prometheus:
    """A Prometheus that scrapes one server each second."""

    def __init__(self, work, target):
        port = free_port()
        self.base = f"http://127.0.0.1:{port}/api/v1/"
        configuration = {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(FOLDER / "stoa.rules.yml")],
            "scrape_configs": [{
                "job_name": "stoa",
                "authorization": {"credentials": TOKEN},
                "static_configs": [{"targets": [target]}],
            }],
        }
        # JSON is YAML.
        (work / "prometheus.yml").write_text(json.dumps(configuration))
        self.command = [
            "prometheus", f"--config.file={work / 'prometheus.yml'}", f"--storage.tsdb.path={work / 'series'}",
            f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn",
        ]

    def ask(self, path, **query):
        """The `data` of a reply, or the error."""
        try:
            with urllib.request.urlopen(self.base + path + "?" + urllib.parse.urlencode(query), timeout=10) as reply:
                return json.load(reply)["data"], None
        except urllib.error.HTTPError as error:
            return None, json.load(error).get("error", str(error))
        except OSError as error:
            return None, str(error)

    def query(self, expression):
        data, error = self.ask("query", query=expression)
        return data and data["result"], error


def expressions_of_rules(prometheus):
    data, error = prometheus.ask("rules")
    if error:
        sys.exit(f"Prometheus: {error}")
    for rule in (rule for group in data["groups"] for rule in group["rules"]):
        yield rule["name"], rule["query"], True


def expressions_of_dashboard():
    dashboard = json.loads(DASHBOARD.read_text())
    for annotation in dashboard["annotations"]["list"]:
        yield f"annotation {annotation['name']}", annotation["expr"], True
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield f"panel {panel['title']}", target["expr"], panel["title"] in MAY_BE_EMPTY


def judge(prometheus, name, expression, may_be_empty):
    """What is wrong with an expression."""
    expression = expression.replace("$__rate_interval", "60s").replace("$instance", ".*")
    result, error = prometheus.query(expression)
    if error:
        yield f"{name}: {error}"
        return
    if not result and not may_be_empty:
        yield f"{name}: nothing: {expression}"
    for metric, labels in SELECTOR.findall(expression):
        found, error = prometheus.query(metric + labels)
        if not found:
            yield f"{name}: no server reports {metric}{labels} {error or ''}"


def alerts(prometheus):
    data, _ = prometheus.ask("alerts")
    return {alert["labels"]["alertname"] for alert in data["alerts"]} if data else set()


def check_healthy(server, prometheus, url):
    """The faults of all expressions, asked while the server runs."""
    for _ in range(2):
        if not server.chat(url).stdout.strip():
            sys.exit("Prometheus: no answer to the question")
        time.sleep(3)
    # Counts an error, and one more answer after the first scrapes.
    server.chat(url, password="another password")
    wait("an error", lambda: prometheus.query('rate(stoa_errors_total{code="wrong_credentials"}[60s]) > 0')[0] or None)
    faults, count = [], 0
    for name, expression, may_be_empty in [*expressions_of_rules(prometheus), *expressions_of_dashboard()]:
        count += 1
        faults += judge(prometheus, name, expression, may_be_empty)
    if found := alerts(prometheus):
        faults.append(f"alerts for a healthy server: {', '.join(sorted(found))}")
    print(f"Prometheus: {count} expressions, {len(faults)} faults")
    return faults


def main():
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else FOLDER.parents[1] / ".build/release/stoa").resolve()
    for arguments in (["check", "rules", "stoa.rules.yml"], ["test", "rules", "stoa.rules.test.yml"]):
        subprocess.run(["promtool", *arguments], cwd=FOLDER, check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="stoa-prometheus-") as folder:
        work = pathlib.Path(folder)
        # PostgreSQL runs as a user of its own if this is root.
        work.chmod(0o755)
        server = Server(program, work)
        with running(server.command, server.log) as process:
            url = wait("the server", lambda: server.url(process))
            server.add_user()
            prometheus = Prometheus(work, url.removeprefix("http://"))
            with running(prometheus.command, work / "prometheus.log"):
                wait("the first scrape", lambda: prometheus.query('stoa_build_info')[0] or None)
                faults = check_healthy(server, prometheus, url)
                process.terminate()
                process.wait(timeout=60)
                wait("the alert for a server that ended", lambda: "StoaDown" in alerts(prometheus) or None)
    for fault in faults:
        print(f"Prometheus: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
