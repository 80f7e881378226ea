"""A network for the checks of this folder: a bridge, to which named services with namespaces of their own are
connected. The process must be in a network and a mount namespace of its own."""

import contextlib
import subprocess

SUBNET = "10.89.77"


def make_certificate(work, name):
    """A certificate for the name, its key, and both in one file."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-keyout", work / "key.pem",
         "-out", work / "chain.pem"], check=True, capture_output=True)
    (work / "both.pem").write_text((work / "chain.pem").read_text() + (work / "key.pem").read_text())
    for file in ("key.pem", "both.pem", "chain.pem"):
        (work / file).chmod(0o644)


def ip(*words, before=()):
    subprocess.run([*before, "ip", *words], check=True)


class Bridge:
    """Services find each other by name, in the /etc/hosts of this mount namespace."""

    def __init__(self, work):
        self.hosts, self.addresses, self.namespaces = work / "hosts", {}, {}

    def __enter__(self):
        self.hosts.write_text("127.0.0.1 localhost\n")
        self.hosts.chmod(0o644)
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        subprocess.run(["mount", "--bind", self.hosts, "/etc/hosts"], check=True)
        ip("link", "set", "lo", "up")
        ip("link", "add", "bridge", "type", "bridge")
        ip("addr", "add", f"{SUBNET}.1/24", "dev", "bridge")
        ip("link", "set", "bridge", "up")
        return self

    def add(self, name):
        """A namespace for a service."""
        script = "echo ready; exec sleep infinity"
        process = subprocess.Popen(["unshare", "-n", "sh", "-c", script], stdout=subprocess.PIPE)
        process.stdout.readline()
        self.namespaces[name] = process
        address = f"{SUBNET}.{len(self.namespaces) + 1}"
        cable = f"v{len(self.namespaces)}"
        ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", str(process.pid))
        ip("link", "set", cable, "master", "bridge", "up")
        for words in (["link", "set", "lo", "up"], ["addr", "add", f"{address}/24", "dev", "eth0"],
                      ["link", "set", "eth0", "up"]):
            ip(*words, before=self.inside(name))
        self.addresses[name] = address
        with open(self.hosts, "a") as hosts:
            hosts.write(f"{address} {name}\n")

    def inside(self, name):
        """The words before a command that run it as the service."""
        return ["nsenter", "-t", str(self.namespaces[name].pid), "-n"]

    def __exit__(self, *problem):
        for process in self.namespaces.values():
            process.terminate()
            process.wait()
        with contextlib.suppress(subprocess.CalledProcessError):
            subprocess.run(["umount", "/etc/hosts"], check=True)
