#!/usr/bin/env python3
"""Starts nginx, Caddy and HAProxy with the files of this folder, one after the other, in front of two nodes, and chats
through each from another address: the nodes must see that address and no invented one, a WebSocket and a stream
must neither be buffered nor cut while nothing is sent, and people go on after a restart of the proxy or of a node.

    Deploy/checks/proxies.py [PROGRAM] [--idle=65] [--only=NAME]

Runs in two network namespaces of its own, so that the files' own ports are used. Needs root, iproute2, openssl and
PostgreSQL's programs; a proxy that is not installed is skipped by name. Exit status: 0 if all is well.
"""

import concurrent.futures
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from chat import Route, WebSocket, messages, sign_in, stream
from network import make_certificate
from processes import Node, Postgres, Process, add_user, end_cleanly, program_to_check, step, wait
from silent_engine import SilentEngine

DEPLOY = pathlib.Path(__file__).resolve().parents[1]
NAME, ADDRESS, CLIENTS = "chat.example.org", "198.51.100.1", ["198.51.100.7", "198.51.100.8"]
# The number of WebSockets that the nodes allow one address, so that a check sees whom they count.
SOCKETS_MAX = 3


def option(name, default):
    found = [word.split("=", 1)[1] for word in sys.argv[1:] if word.startswith(f"--{name}=")]
    return found[0] if found else default


IDLE = float(option("idle", "65"))


@contextlib.contextmanager
def client_namespace():
    """Another machine, as it were: its path in /proc, and a cable to it."""
    with contextlib.ExitStack() as stack:
        other = stack.enter_context(subprocess.Popen(["unshare", "-n", "sleep", "infinity"]))
        # Before Popen waits for it.
        stack.callback(other.terminate)
        own = os.readlink("/proc/self/ns/net")
        wait("the namespace", lambda: os.readlink(f"/proc/{other.pid}/ns/net") != own)
        inside = ["nsenter", "-t", str(other.pid), "-n"]
        for command in [
            ["ip", "link", "set", "lo", "up"],
            ["ip", "link", "add", "here", "type", "veth", "peer", "name", "there", "netns", str(other.pid)],
            ["ip", "addr", "add", f"{ADDRESS}/24", "dev", "here"],
            ["ip", "link", "set", "here", "up"],
            *([*inside, "ip", "addr", "add", f"{client}/24", "dev", "there"] for client in CLIENTS),
            [*inside, "ip", "link", "set", "there", "up"],
        ]:
            subprocess.run(command, check=True)
        yield f"/proc/{other.pid}/ns/net"


class Proxy(Process):
    """A proxy with a file of Deploy, in which only certificates are replaced."""

    # How the nodes learn the client's address.
    settings = ["--trusted-proxies", "127.0.0.1"]

    def __init__(self, work):
        text = (DEPLOY / self.file).read_text()
        for old, new in self.replacements(work):
            assert old in text, f"{self.file} lacks {old}"
            text = text.replace(old, new)
        self.configuration = work / self.file.replace("/", "-")
        self.configuration.write_text(text)
        super().__init__(self.arguments(work), work / f"{self.title}.log", {
            "PATH": "/usr/bin:/bin:/usr/sbin", "HOME": str(work), "XDG_DATA_HOME": str(work)})

    def replacements(self, work):
        return []

    @classmethod
    def is_installed(cls):
        return shutil.which(cls.program, path="/usr/sbin:/usr/bin:/usr/local/bin")


class Nginx(Proxy):
    title, program, file = "nginx", "nginx", "nginx/stoa.conf"

    def replacements(self, work):
        folder = f"/etc/letsencrypt/live/{NAME}"
        nodes = [(f"{comment}server 127.0.0.1:{port} ", f"server 127.0.0.1:{port + 1} ")
                 for comment, port in (("# ", 8081), ("", 8080))]
        return [*nodes, (f"{folder}/fullchain.pem", f"{work}/chain.pem"), (f"{folder}/privkey.pem", f"{work}/key.pem")]

    def arguments(self, work):
        (work / "nginx.conf").write_text(
            f"daemon off; pid {work}/nginx.pid; error_log stderr; worker_processes 1;\n"
            f"events {{ worker_connections 1024; }}\nhttp {{ access_log off; include {self.configuration}; }}\n")
        return ["nginx", "-c", work / "nginx.conf", "-p", work]


class Caddy(Proxy):
    title, program, file = "Caddy", "caddy", "caddy/Caddyfile"

    def replacements(self, work):
        # Instead of a certificate from the network.
        return [(f"\n{NAME} {{\n", f"\n{NAME} {{\n\ttls {work}/chain.pem {work}/key.pem\n"),
                ("reverse_proxy 127.0.0.1:8080", "reverse_proxy 127.0.0.1:8081 127.0.0.1:8082")]

    def arguments(self, work):
        return ["caddy", "run", "--adapter", "caddyfile", "--config", self.configuration]


class HAProxy(Proxy):
    title, program, file = "HAProxy", "haproxy", "haproxy/haproxy.cfg"

    def replacements(self, work):
        return [(f"/etc/haproxy/certs/{NAME}.pem", f"{work}/both.pem")]

    def arguments(self, work):
        return ["haproxy", "-W", "-db", "-f", self.configuration]


class HAProxyTCP(HAProxy):
    title, file = "HAProxy, PROXY protocol version 2", "haproxy/haproxy-tcp.cfg"

    def __init__(self, work):
        self.settings = ["--proxy-protocol-from", "127.0.0.1", "--tls-certificate", work / "chain.pem",
                         "--tls-key", work / "key.pem"]
        super().__init__(work)

    def replacements(self, work):
        return []


class HAProxyTCP1(HAProxyTCP):
    title = "HAProxy, PROXY protocol version 1"

    def replacements(self, work):
        return [(" send-proxy-v2 ", " send-proxy ")]


class Check:
    """What is tried behind one proxy."""

    def __init__(self, proxy, nodes, route):
        self.proxy, self.nodes, self.route = proxy, nodes, route

    def again(self, attempt, seconds=20):
        """Repeats what a client repeats after a lost connection."""
        def one():
            try:
                return attempt()
            except OSError:
                return None
        return wait("a client goes on", one, seconds)

    def run(self):
        with step("signs in over TLS"):
            self.token = self.again(lambda: sign_in(self.route))
        socket = WebSocket(self.route, self.token)
        with step("chats"):
            self.conversation = socket.call("conversation.create", key="c", settings={"max_tokens": 12})["conversation"]["id"]
            self.ask(socket, "q0")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            key = socket.call("key.create", name="check", scopes=["complete"])["secret"]
            streaming = pool.submit(self.silent_stream, key)
            with step(f"a WebSocket lives through {IDLE:.0f} s without a request"):
                idle = WebSocket(self.route, self.token)
                idle.listen(IDLE)
                idle.call("session.list")
                idle.close()
            with step("a stream was neither buffered nor cut"):
                streaming.result(IDLE + 60)
        socket.close()
        with step("the nodes see the client's address, and no other that it names"):
            self.addresses()
        with step("people go on after a restart of the proxy"):
            self.proxy.stop()
            self.proxy.start()
            self.go_on("q1")
        for number, node in enumerate(self.nodes):
            words = "stops, and drains" if number == 0 else "is killed"
            with step(f"people go on while node {number + 1} {words}"):
                node.stop() if number == 0 else node.kill()
                self.go_on(f"q2{number}")
                node.start()
                node.wait_until_ready()
        with step("they go on after it"):
            # Until the proxy has found them again.
            self.go_on("q3")

    def ask(self, socket, key):
        socket.call("message.send", conversation=self.conversation, key=key, text="What is 2 + 3?")
        def answered():
            found = messages(socket, self.conversation)
            return found[-1]["role"] == "assistant" and found[-1]["state"] == "complete"
        wait("an answer", answered, 60)

    def go_on(self, key):
        def attempt():
            socket = WebSocket(self.route, self.token)
            with contextlib.closing(socket):
                self.ask(socket, key)
            return True
        self.again(attempt, 60)

    def silent_stream(self, key):
        """An engine sends a word, is silent, and sends another: each must arrive when it was sent."""
        begin, words = time.monotonic(), []
        for text in stream(self.route, key, "silent", "Wait.", IDLE + 60):
            words.append((time.monotonic() - begin, text))
        assert [text for _, text in words] == ["first", " second", None], words
        assert words[0][0] < IDLE / 2, f"the first word was held back: {words}"
        assert words[1][0] > IDLE * 0.9, words

    def addresses(self):
        """The nodes count connections by address. With one node, so that all are counted in one place."""
        self.nodes[1].stop()
        invented = {"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=203.0.113.9"}
        sockets = [self.again(lambda: WebSocket(self.route, self.token, invented))]
        sockets += [WebSocket(self.route, self.token, invented) for _ in range(SOCKETS_MAX - 1)]
        try:
            sockets.append(WebSocket(self.route, self.token, invented))
            sys.exit("failed: the nodes do not see the client's address")
        except OSError:
            pass
        # Another address of the same client's machine is another client.
        sockets.append(WebSocket(self.route.at(CLIENTS[1]), self.token))
        for socket in sockets:
            socket.close()
        self.nodes[1].start()
        self.nodes[1].wait_until_ready()


def check(proxy_class, program, work, database, namespace):
    proxy = proxy_class(work)
    engine = SilentEngine(8090, IDLE)
    common = [
        "--host", "127.0.0.1", "--database-url", database.url, "--public-url", f"https://{NAME}",
        "--connections-per-address", str(SOCKETS_MAX), "--lease-seconds", "3", "--drain-seconds", "5",
        "--remote-engine", "http://127.0.0.1:8090/v1 model=silent context=4096 first-token-seconds=600 next-token-seconds=600",
        *proxy.settings,
    ]
    with contextlib.ExitStack() as stack:
        stack.enter_context(engine)
        nodes = [
            Node(program, work, f"{proxy.title} {name}", port, [
                *common, "--port", str(port), "--node-name", name, "--data-dir", str(work / f"data-{name}")])
            for name, port in (("one", 8081), ("two", 8082))
        ]
        for node in nodes:
            stack.enter_context(node)
        for node in nodes:
            node.wait_until_ready()
        stack.enter_context(proxy)
        Check(proxy, nodes, Route(ADDRESS, 443, NAME, work / "chain.pem", CLIENTS[0], namespace)).run()


def main():
    if "STOA_CHECK_NAMESPACE" not in os.environ:
        if os.geteuid() != 0:
            sys.exit("failed: only root makes network namespaces")
        os.environ["STOA_CHECK_NAMESPACE"] = "1"
        os.execvp("unshare", ["unshare", "-n", sys.executable, *sys.argv])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    program = program_to_check()
    end_cleanly()
    folder = tempfile.mkdtemp(prefix="stoa-proxies-", dir="/var/tmp")
    work = pathlib.Path(folder)
    work.chmod(0o755)
    try:
        make_certificate(work, NAME)
        with client_namespace() as namespace, Postgres(work) as database:
            subprocess.run([program, "migrate", "--database-url", database.url], check=True, capture_output=True)
            add_user(program, work, "ann", database.url)
            for proxy_class in (Nginx, Caddy, HAProxy, HAProxyTCP, HAProxyTCP1):
                if option("only", proxy_class.title) != proxy_class.title:
                    continue
                if not proxy_class.is_installed():
                    print(f"skipped (not installed): {proxy_class.title}")
                    continue
                print(proxy_class.title, flush=True)
                check(proxy_class, program, work, database, namespace)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
