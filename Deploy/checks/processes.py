"""Processes for the checks of this folder: PostgreSQL, nodes of Stoa, and whatever else stands around them. Each ends
with the `with` statement that began it."""

import contextlib
import glob
import os
import pathlib
import pwd
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PASSWORD = "a good long password"


def wait(what, attempt, seconds=60):
    """Repeats `attempt` until it returns something true; returns that."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := attempt():
            return found
        time.sleep(0.1)
    sys.exit(f"failed: {what}: not within {seconds} s")


class Process:
    """A process with a log. It can be stopped, killed and started again."""

    def __init__(self, command, log, environment=None, user=None):
        self.command, self.log = [str(word) for word in command], pathlib.Path(log)
        self.environment, self.user, self.process = environment, user, None

    def start(self):
        with open(self.log, "a") as output:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env=self.environment, user=self.user, cwd="/",
            )
        return self

    def is_alive(self):
        return self.process.poll() is None

    def kill(self):
        self.process.kill()
        self.process.wait(60)

    def stop(self):
        """Sends SIGTERM, and waits."""
        self.process.terminate()
        return self.process.wait(60)

    def text(self):
        return self.log.read_text(errors="replace")

    def __enter__(self):
        return self if self.process else self.start()

    def __exit__(self, kind, value, trace):
        if self.is_alive():
            self.stop()
        if kind:
            print(f"--- the end of {self.log.name}\n" + "\n".join(self.text().splitlines()[-15:]), file=sys.stderr)


class Postgres:
    """A PostgreSQL with a database and a role `stoa`, which has a password."""

    def __init__(self, work, port=5432, host="127.0.0.1", password="secret", before=()):
        self.programs = pathlib.Path(sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1])
        self.folder, self.port, self.host, self.password = work / "postgres", port, host, password
        # The words before a command, such as nsenter.
        self.before = list(before)

    def _run(self, program, *arguments):
        command = [str(self.programs / program), *map(str, arguments)]
        if as_postgres():
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", *command]
        subprocess.run([*self.before, *command], check=True, cwd="/", stdout=subprocess.DEVNULL)

    def __enter__(self):
        self.folder.mkdir()
        if as_postgres():
            os.chown(self.folder, pwd.getpwnam("postgres").pw_uid, -1)
        self._run("initdb", "-D", self.folder / "data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale")
        self.start()
        self.query(f"CREATE ROLE stoa LOGIN PASSWORD '{self.password}'", "postgres")
        self.query("CREATE DATABASE stoa OWNER stoa", "postgres")
        self.query("CREATE EXTENSION pg_trgm", "stoa")
        return self

    def allow_network(self):
        """Lets other addresses in, with a password."""
        with open(self.folder / "data/pg_hba.conf", "a") as rules:
            rules.write("host all all all scram-sha-256\n")
        self.query("SELECT pg_reload_conf()")

    def start(self):
        options = f"-c listen_addresses='{self.host}' -p {self.port} -k {self.folder} -c fsync=off"
        log = self.folder / "log"
        self._run("pg_ctl", "-D", self.folder / "data", "-w", "-l", log, "-o", options, "start")

    def query(self, statement, database="stoa"):
        command = [self.programs / "psql", "-h", self.folder, "-p", str(self.port), "-U", "postgres", "-Atq"]
        command += ["-v", "ON_ERROR_STOP=1", "-d", database, "-c", statement]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def __exit__(self, *problem):
        self._run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")

    @property
    def url(self):
        return f"postgresql://stoa:{self.password}@{self.host}:{self.port}/stoa"


def as_postgres():
    """The user for PostgreSQL's programs, which refuse to run as root."""
    return "postgres" if os.geteuid() == 0 else None


class Node(Process):
    """`stoa serve` with arguments or an environment."""

    def __init__(self, program, work, name, port, arguments=(), environment=None, before=()):
        self.port, self.program, self.work = port, program, work
        # Nothing is fetched, and nothing comes from the caller's settings.
        own = {"PATH": "/usr/bin:/bin", "HOME": str(work), "HF_ENDPOINT": "http://127.0.0.1:9", **(environment or {})}
        super().__init__([*before, program, "serve", *arguments], work / f"{name}.log", own)

    def start(self):
        self.is_ready_after = len(self.text()) if self.log.exists() else 0
        return super().start()

    def wait_until_ready(self):
        def ready():
            if not self.is_alive():
                sys.exit(f"failed: {self.log.name}: the server ended:\n{self.text()[-2000:]}")
            return re.search(r"^ready ", self.text()[self.is_ready_after:], re.MULTILINE)
        wait(f"{self.log.name}: ready", ready, 120)
        return self


def add_user(program, work, name, database, *more):
    """Adds an account beside the servers."""
    command = [program, "user", "add", name, "--password-stdin", "--database-url", database, *more]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(work)}
    subprocess.run(command, input=PASSWORD + "\n", text=True, check=True, capture_output=True, env=environment)


def end_cleanly():
    """Lets SIGTERM end the `with` statements, too, and so the processes that they began."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("failed: stopped by a signal"))


def program_to_check():
    """The program that the first argument names, or the newest build."""
    named = [word for word in sys.argv[1:] if not word.startswith("--")]
    built = [ROOT / ".build" / kind / "stoa" for kind in ("static/release", "release", "debug")]
    found = [pathlib.Path(named[0]).resolve()] if named else [path for path in built if path.exists()]
    if not found:
        sys.exit("failed: no program: run make build")
    return max(found, key=lambda path: path.stat().st_mtime)


@contextlib.contextmanager
def step(words):
    """Says what was seen, once it was."""
    begin = time.monotonic()
    yield
    print(f"  {words} ({time.monotonic() - begin:.1f} s)", flush=True)
