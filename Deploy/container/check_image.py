#!/usr/bin/env python3
"""Runs the image of image.sh without a container engine: unpacks its layers, and starts what its configuration says
in that root, read-only but for its volume and /tmp, as its user, without privileges, beside a PostgreSQL of its
own. Asks a question, and runs its health check.

    Deploy/container/check_image.py

Needs root, and PostgreSQL's programs. Exit status: 0 if all is well.
"""

import ctypes
import glob
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tarfile
import tempfile
import time

IMAGE = pathlib.Path(__file__).parents[2] / ".build/image/stoa.tar"
PASSWORD = "a good long password"
CLONE_NEWNS, MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 1, 32, 4096, 16384, 1 << 18
PR_SET_NO_NEW_PRIVS = 38
libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    """Calls a function of libc, which returns 0 if all is well."""
    encoded = [value.encode() if isinstance(value, str) else value for value in arguments]
    if getattr(libc, name)(*encoded) != 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Image:
    """The unpacked image."""

    def __init__(self, work):
        archive = work / "archive"
        with tarfile.open(IMAGE) as tar:
            tar.extractall(archive)
        manifest = json.loads((archive / "manifest.json").read_text())[0]
        self.config = json.loads((archive / manifest["Config"]).read_text())["config"]
        self.root, self.volume = work / "root", work / "volume"
        self.root.mkdir()
        for layer in manifest["Layers"]:
            with tarfile.open(archive / layer) as tar:
                tar.extractall(self.root)
        self.user = int(self.config["User"].split(":")[0])
        self.volume.mkdir()
        os.chown(self.volume, self.user, self.user)

    def check_files(self):
        files = [path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink()]
        print(f"{IMAGE.stat().st_size / 1e6:.0f} MB, {len(files)} files")
        assert self.user != 0, "it runs as root"
        assert not [path for path in files if path.name in ("sh", "bash", "busybox")], "there is a shell"
        assert not [path for path in files if path.stat().st_mode & (stat.S_ISUID | stat.S_ISGID)], "set-user-ID"

    def _confine(self):
        """Does what an engine does before the program starts, in the new process."""
        call("unshare", CLONE_NEWNS)
        call("mount", "none", "/", None, MS_REC | MS_PRIVATE, None)
        root = str(self.root)
        call("mount", root, root, None, MS_BIND, None)
        call("mount", "none", root, None, MS_REMOUNT | MS_BIND | MS_RDONLY, None)
        call("mount", "tmpfs", root + "/tmp", "tmpfs", 0, "mode=1777")
        # The program reads its arguments there.
        call("mount", "proc", root + "/proc", "proc", 0, None)
        call("mount", str(self.volume), root + "/var/lib/stoa", None, MS_BIND, None)
        os.chroot(root)
        os.chdir(self.config["WorkingDir"])
        os.setgroups([])
        os.setgid(self.user)
        os.setuid(self.user)
        call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)

    def start(self, arguments, environment=(), **options):
        """Starts the image's program."""
        named = dict(entry.split("=", 1) for entry in [*self.config["Env"], *environment])
        command = self.config["Entrypoint"] + arguments
        return subprocess.Popen(command, env=named, preexec_fn=self._confine, text=True, **options)

    def run(self, arguments, environment=(), text=""):
        """Runs it to its end; returns its exit status and what it printed."""
        pipe = subprocess.PIPE
        process = self.start(arguments, environment, stdin=pipe, stdout=pipe, stderr=pipe)
        output, errors = process.communicate(text, timeout=60)
        return process.returncode, output, errors


class Database:
    """A PostgreSQL outside."""

    def __init__(self, work):
        self.programs = pathlib.Path(sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1])
        self.folder, self.port = work / "postgres", free_port()
        self.folder.mkdir()
        os.chown(self.folder, pwd.getpwnam("postgres").pw_uid, -1)
        self._run("initdb", "-D", self.folder / "data", "-A", "trust", "-E", "UTF8", "--no-locale")
        options = f"-c listen_addresses=127.0.0.1 -p {self.port} -k {self.folder}"
        self._run("pg_ctl", "-D", self.folder / "data", "-w", "-l", self.folder / "log", "-o", options, "start")
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "stoa")

    def _run(self, program, *arguments):
        command = [str(self.programs / program), *map(str, arguments)]
        subprocess.run(command, check=True, user="postgres", cwd="/", stdout=subprocess.DEVNULL)

    def stop(self):
        self._run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")


def wait_until_ready(image, environment, server):
    """Runs the health check until it succeeds, as an engine does."""
    check = image.config["Healthcheck"]["Test"]
    words = check[1].split() if check[0] == "CMD-SHELL" or len(check) == 2 else check[1:]
    assert words[0] == image.config["Entrypoint"][0], check
    for _ in range(300):
        assert server.poll() is None, "the server ended"
        if image.run(words[1:], environment)[0] == 0:
            return
        time.sleep(0.1)
    raise AssertionError("it never became healthy")


def check(work):
    image = Image(work)
    image.check_files()
    database = Database(work)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environment = [
        f"STOA_DATABASE_URL=postgresql://postgres@127.0.0.1:{database.port}/stoa",
        f"STOA_PORT={port}",
        f"STOA_SERVER={url}",
    ]
    log = open(work / "log", "w")
    server = image.start(image.config["Cmd"], environment, stdout=log, stderr=log)
    try:
        wait_until_ready(image, environment, server)
        status, _, errors = image.run(["user", "add", "ann", "--password-stdin"], environment, PASSWORD + "\n")
        assert status == 0, errors
        lines = f"{PASSWORD}\nWhat is 2 + 3?\n"
        chat = ["chat", "--user", "ann", "--password-stdin"]
        status, answer, errors = image.run(chat, [*environment, "XDG_STATE_HOME=/tmp"], lines)
        assert status == 0 and answer.strip(), errors
        print("answer:", answer.strip())
        server.send_signal(getattr(signal, image.config["StopSignal"]))
        assert server.wait(60) == 0, "it did not end well"
        assert image.run(["ready"], environment)[0] == 69, "the health check of a stopped server"
        print("healthy, answered, and ended by", image.config["StopSignal"])
    except BaseException:
        sys.stderr.write((work / "log").read_text()[-2000:])
        raise
    finally:
        if server.poll() is None:
            server.kill()
        database.stop()


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="stoa-image-", dir="/var/tmp"))
    work.chmod(0o755)
    try:
        check(work)
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
