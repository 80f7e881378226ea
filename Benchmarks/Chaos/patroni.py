#!/usr/bin/env python3
"""Three PostgreSQL servers under Patroni, each in a network namespace of its own, that fail; and etcd.

    patroni.py up FOLDER             starts them, and prints the database's URL
    patroni.py fault KIND FOLDER     does one of FAULTS, waits for another primary, repairs what was
                                     broken, waits until all servers are healthy, and prints what was
                                     seen
    patroni.py down FOLDER           ends everything and removes the namespaces

Needs root, Debian's packages patroni, etcd-server and postgresql-15, and `ip`; another Patroni that is
first on PATH is taken. The settings are those of Deploy/patroni.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
import zlib

NODES = (1, 2, 3)
FAULTS = ("postgres", "node", "frozen", "partition", "switchover")
REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PASSWORD = "chaos-password"
# A frozen or cut off leader has lost its lock by then.
TAKEOVER_SECONDS = 60
REPAIR_SECONDS = 180


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        # Two runs beside each other have other names and addresses.
        self.number = zlib.crc32(folder.encode()) % 200 + 20
        self.bridge = f"stoa{self.number}"

    # Names

    def space(self, node):
        return f"{self.bridge}-{node}"

    def link(self, node):
        return f"{self.bridge}h{node}"

    def address(self, node):
        return f"10.89.{self.number}.{10 + node}"

    def node_folder(self, node):
        return f"{self.folder}/pg-{node}"

    def url(self):
        hosts = ",".join(self.address(node) for node in NODES)
        return (
            f"host={hosts} port=5432 user=stoa password={PASSWORD} dbname=stoa "
            "target_session_attrs=read-write"
        )

    # Life

    def up(self):
        programs = postgres_programs()
        run("ip", "link", "add", "name", self.bridge, "type", "bridge")
        run("ip", "addr", "add", f"10.89.{self.number}.1/24", "dev", self.bridge)
        run("ip", "link", "set", self.bridge, "up")
        for node in NODES:
            self.make_space(node)
        for node in NODES:
            self.write_files(node, programs)
        self.start_etcd()
        self.wait_for_etcd()
        for node in NODES:
            self.start_patroni(node)
        self.wait_until_healthy(REPAIR_SECONDS)
        print(self.url())

    def make_space(self, node):
        space, link = self.space(node), self.link(node)
        run("ip", "netns", "add", space)
        run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space)
        run("ip", "link", "set", link, "master", self.bridge, "up")
        inside = ("ip", "-n", space)
        run(*inside, "addr", "add", f"{self.address(node)}/24", "dev", "eth0")
        run(*inside, "link", "set", "eth0", "up")
        run(*inside, "link", "set", "lo", "up")

    def write_files(self, node, programs):
        folder = self.node_folder(node)
        os.makedirs(folder, mode=0o700)
        values = {
            "NAME": f"pg-{node}",
            "ADDRESS": self.address(node),
            "ETCD": f"{self.gateway()}:2379",
            "FOLDER": folder,
            "PROGRAMS": programs,
            "PASSWORD": PASSWORD,
            "NETWORK": f"10.89.{self.number}.0/24",
            "SHARED_BUFFERS": "64MB",
            # A killed process loses nothing that it gave to the kernel.
            "FSYNC": "off",
        }
        for name in ("patroni.yml", "post_bootstrap.sh"):
            with open(f"{REPOSITORY}/Deploy/patroni/{name}") as file:
                text = file.read()
            for key, value in values.items():
                text = text.replace(f"@{key}@", value)
            with open(f"{folder}/{name}", "w") as file:
                file.write(text)
            os.chmod(f"{folder}/{name}", 0o700)
        run("chown", "-R", "postgres:postgres", folder)
        os.chmod(folder, 0o711)

    def gateway(self):
        return f"10.89.{self.number}.1"

    def start_etcd(self):
        """One etcd, outside of the servers: it never fails here."""
        clients, peers = f"http://{self.gateway()}:2379", f"http://{self.gateway()}:2380"
        with open(f"{self.folder}/etcd.log", "ab") as log:
            process = subprocess.Popen(
                ("/usr/bin/etcd", "--name", "etcd", "--data-dir", f"{self.folder}/etcd",
                 "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
                 "--listen-client-urls", clients, "--advertise-client-urls", clients,
                 "--initial-cluster", f"etcd={peers}", "--logger", "zap"),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/tmp", start_new_session=True,
            )
        with open(f"{self.folder}/etcd.process", "w") as file:
            file.write(f"{process.pid}\n")

    def start_patroni(self, node):
        self.start(node, "patroni", shutil.which("patroni"), f"{self.node_folder(node)}/patroni.yml")

    def start(self, node, name, *command):
        folder = self.node_folder(node)
        with open(f"{folder}/{name}.log", "ab") as log:
            subprocess.Popen(
                ("ip", "netns", "exec", self.space(node), "setpriv", "--reuid", "postgres",
                 "--regid", "postgres", "--init-groups", "env", f"HOME={folder}", *command),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/tmp", start_new_session=True,
            )

    def wait_for_etcd(self):
        def is_healthy():
            url = f"http://{self.gateway()}:2379/health"
            return b"true" in urllib.request.urlopen(url, timeout=1).read()

        wait("etcd", 60, is_healthy)

    def down(self):
        with open(f"{self.folder}/etcd.process") as file:
            kill(int(file.read()), signal.SIGKILL)
        for node in NODES:
            for process in self.processes(node):
                kill(process, signal.SIGKILL)
        for node in NODES:
            wait("the end of all processes", 20, lambda: not self.processes(node))
            subprocess.run(("ip", "netns", "del", self.space(node)), stderr=subprocess.DEVNULL)
        subprocess.run(("ip", "link", "del", self.bridge), stderr=subprocess.DEVNULL)

    # What is seen

    def processes(self, node):
        found = subprocess.run(
            ("ip", "netns", "pids", self.space(node)), capture_output=True, text=True
        )
        return [int(word) for word in found.stdout.split()]

    def members(self, asked=NODES):
        """What Patroni says of the cluster, asked at the first server that answers."""
        for node in asked:
            try:
                url = f"http://{self.address(node)}:8008/cluster"
                with urllib.request.urlopen(url, timeout=2) as answer:
                    return json.load(answer)["members"]
            except (OSError, ValueError, KeyError):
                continue
        return []

    def leader(self, asked=NODES):
        for member in self.members(asked):
            if member["role"] in ("leader", "master", "primary") and member["state"] == "running":
                return int(member["name"].split("-")[1])
        return None

    def is_healthy(self):
        members = self.members()
        roles = [member["role"] for member in members]
        return (
            len(members) == len(NODES)
            and "sync_standby" in roles
            and any(role in ("leader", "master", "primary") for role in roles)
            and all(member["state"] in ("running", "streaming") for member in members)
            and len({member.get("timeline") for member in members}) == 1
        )

    def wait_until_healthy(self, seconds):
        try:
            wait("three healthy servers", seconds, self.is_healthy)
        except SystemExit as failure:
            sys.exit(f"{failure}: {self.members()}")

    # Faults

    def fault(self, kind):
        leader = self.leader()
        if leader is None:
            sys.exit("there is no primary")
        others = [node for node in NODES if node != leader]
        started = time.monotonic()
        getattr(self, f"break_by_{kind}")(leader)

        def has_moved():
            found = self.leader(others)
            return found is not None and found != leader

        wait(f"another primary after {kind}", TAKEOVER_SECONDS, has_moved)
        moved = time.monotonic() - started
        # The old one stays broken while the new one works.
        time.sleep(3)
        getattr(self, f"repair_{kind}", lambda node: None)(leader)
        self.wait_until_healthy(REPAIR_SECONDS)
        healthy = time.monotonic() - started
        print(f"{kind} pg-{leader} moved {moved:.1f} healthy {healthy:.1f}")

    def break_by_postgres(self, node):
        """The postmaster is killed; its children notice."""
        with open(f"{self.node_folder(node)}/data/postmaster.pid") as file:
            kill(int(file.readline()), signal.SIGKILL)

    def break_by_node(self, node):
        """Patroni and PostgreSQL are killed together."""
        for process in self.processes(node):
            kill(process, signal.SIGKILL)

    def repair_node(self, node):
        self.start_patroni(node)

    def break_by_frozen(self, node):
        for process in self.processes(node):
            kill(process, signal.SIGSTOP)

    def repair_frozen(self, node):
        for process in self.processes(node):
            kill(process, signal.SIGCONT)

    def break_by_partition(self, node):
        """The cable is pulled: from Stoa, from etcd, and from the other servers."""
        run("ip", "link", "set", self.link(node), "down")

    def repair_partition(self, node):
        run("ip", "link", "set", self.link(node), "up")

    def break_by_switchover(self, node):
        synchronous = [m["name"] for m in self.members() if m["role"] == "sync_standby"]
        run(
            "patronictl", "-c", f"{self.node_folder(node)}/patroni.yml", "switchover", "stoa",
            "--leader", f"pg-{node}", "--candidate", synchronous[0], "--force",
        )


# Helpers


def postgres_programs():
    folders = sorted(
        f"/usr/lib/postgresql/{version}/bin" for version in os.listdir("/usr/lib/postgresql")
    )
    return folders[-1]


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stdout}{done.stderr}")


def kill(process, number):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


def wait(what, seconds, holds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if holds():
                return
        except OSError:
            pass
        time.sleep(0.2)
    sys.exit(f"no {what} within {seconds} s")


def main():
    missing = [name for name in ("patroni", "etcd", "ip", "setpriv") if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        sys.exit(f"needs root and {', '.join(missing) or 'nothing else'}: apt-get install "
                 "patroni etcd-server postgresql-15 iproute2")
    verb, *arguments = sys.argv[1:]
    cluster = Cluster(arguments[-1])
    if verb == "up":
        cluster.up()
    elif verb == "fault" and arguments[0] in FAULTS:
        cluster.fault(arguments[0])
    elif verb == "down":
        cluster.down()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
