"""Measures the page while an answer grows by 50 deltas a second, in two windows. Prints the rows of a table. Run by
page_stream.sh, on a server whose model never loads: the answer waits in the queue, and the proxy in this file sends
`message.delta` events for it, as the server does for a running one. Everything else is the server's.
Usage: page_stream.py URL NAME PASSWORD SECONDS CONVERSATION CONVERSATION"""

import json
import socket
import struct
import sys
import threading
import time
import uuid

from page import Browser

RATE = 50
# No emulated line: the frames of the WebSocket would not be delayed anyway.
LINE = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}

RECORDER = """
window.recorded = { frames: [], tasks: [] };
let last = performance.now();
const frame = (now) => {
    window.recorded.frames.push(now - last);
    last = now;
    if (!window.recorded.isOver) requestAnimationFrame(frame);
};
requestAnimationFrame((now) => {
    last = now;
    requestAnimationFrame(frame);
});
new PerformanceObserver((list) => {
    window.recorded.tasks.push(...list.getEntries().map(({ duration }) => duration));
}).observe({ type: "longtask" });
"""


class Proxy:
    """Passes connections on to the server, and sends further events to all WebSockets (RFC 6455)."""

    def __init__(self, url):
        self.server = url.removeprefix("http://").rstrip("/").split(":")
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.lock = threading.Lock()
        self.sockets = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=[client], daemon=True).start()

    def serve(self, client):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head = b""
        while b"\r\n\r\n" not in head:
            received = client.recv(65536)
            if not received:
                return client.close()
            head += received
        is_socket = b"\r\nupgrade: websocket" in head.lower()
        if is_socket:
            # Frames of this proxy's are not compressed.
            lines = head.split(b"\r\n")
            head = b"\r\n".join(line for line in lines if not line.lower().startswith(b"sec-websocket-extensions"))
        server = socket.create_connection((self.server[0], int(self.server[1])))
        server.sendall(head)
        threading.Thread(target=self.pass_on, args=[client, server], daemon=True).start()
        if is_socket:
            self.pass_frames(server.makefile("rb"), client)
        else:
            self.pass_on(server, client)

    def pass_on(self, source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def pass_frames(self, source, client):
        while (line := source.readline()) not in (b"\r\n", b""):
            client.sendall(line)
        client.sendall(b"\r\n")
        with self.lock:
            self.sockets.append(client)
        try:
            while len(start := source.read(2)) == 2:
                size = start[1] & 127
                more = source.read({126: 2, 127: 8}.get(size, 0))
                payload = source.read(int.from_bytes(more, "big") if more else size)
                with self.lock:
                    client.sendall(start + more + payload)
        except OSError:
            pass
        with self.lock:
            self.sockets.remove(client)
            client.close()

    def send(self, event):
        payload = json.dumps(event).encode()
        size = len(payload)
        head = bytes([0x81, size]) if size < 126 else b"\x81\x7e" + struct.pack(">H", size)
        with self.lock:
            for client in self.sockets:
                client.sendall(head + payload)


def prose(count):
    """About five characters a delta: paragraphs, lists and code, as models write."""
    part = (
        "The server reads the message, checks who sent it, and stores it in one transaction. Only then does it "
        "say that it has it, so that **nothing** is lost if it ends in that moment, and `retry` is safe.\n\n"
        "- The queue is fair between users.\n- Each answer has a position in it.\n\n"
        "```swift\nlet answer = try await queue.next()\nprint(answer.text)\n```\n\n")
    text = part * (count * 5 // len(part) + 1)
    return [text[at:at + 5] for at in range(0, count * 5, 5)]


def table(count):
    """A table of 200 rows in `count` deltas."""
    rows = "".join(f"| {n} | item {n} | **{n * 37 % 101}** | `code-{n}` | some words about it |\n" for n in range(200))
    text = "| n | name | value | key | note |\n|---:|---|---:|---|---|\n" + rows
    return [text[len(text) * n // count:len(text) * (n + 1) // count] for n in range(count)]


def stream(proxy, conversation, message, pieces):
    """Sends the deltas, each at its time."""
    run, at, start = str(uuid.uuid4()), 0, time.monotonic()
    for number, piece in enumerate(pieces):
        time.sleep(max(0, start + number / RATE - time.monotonic()))
        to = at + len(piece.encode())
        proxy.send({"ev": "message.delta", "conversation": conversation, "message": message, "run": run,
                    "at": at, "to": to, "text": piece})
        at = to


class Windows:
    """Two windows of one browser, signed in as the same user."""

    def __init__(self, url, name, password):
        self.browser = Browser()
        self.url = url
        self.browser.devtools("Network.emulateNetworkConditions", **LINE)
        self.browser.visit(url)
        self.browser.moment("form")
        self.browser.sign_in(name, password)
        first = self.browser.call("GET", "/window")
        second = self.browser.call("POST", "/window/new", {"type": "window"})["handle"]
        self.handles = [first, second]

    def each(self):
        for handle in self.handles:
            self.browser.call("POST", "/window", {"handle": handle})
            yield self.browser

    def wait(self, expression):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if value := self.browser.script(f"return {expression}"):
                return value
            time.sleep(0.05)
        sys.exit(f"the page did not show: {expression}")

    def open(self, conversation):
        """Opens a conversation in both windows, and asks there. Returns the id of the answer."""
        for browser in self.each():
            browser.visit("about:blank")
            browser.visit(f"{self.url}/#conversation={conversation}")
            self.wait("document.querySelectorAll('#messages > li').length > 10")
        self.browser.script("""
            const field = document.querySelector("#composer-text");
            field.value = "Go on.";
            field.dispatchEvent(new Event("input", { bubbles: true }));
            document.querySelector("#send").click();""")
        last = "document.querySelector('#messages > li:last-child[data-role=assistant][data-state=queued]')"
        for _ in self.each():
            message = self.wait(f"{last}?.dataset.messageId")
        return message

    def heap(self):
        self.browser.devtools("HeapProfiler.collectGarbage")
        return self.browser.devtools("Runtime.getHeapUsage")["usedSize"] / 1e6


def measure(windows, proxy, name, conversation, pieces):
    message = windows.open(conversation)
    before = []
    for browser in windows.each():
        before.append(windows.heap())
        browser.script(RECORDER)
    stream(proxy, conversation, message, pieces)
    time.sleep(1)
    length = sum(map(len, pieces))
    for number, browser in enumerate(windows.each()):
        recorded = browser.script("window.recorded.isOver = true; return window.recorded")
        shown = browser.script("return document.querySelector('#messages > li:last-child').messageText.length")
        if shown != length:
            sys.exit(f"window {number + 1} shows {shown} of {length} characters")
        frames, tasks = recorded["frames"], recorded["tasks"]
        slow = sum(frame > 50 for frame in frames) / len(frames)
        print(f"| {name} | {number + 1} | {len(frames):,} | {slow:.1%} | {max(tasks, default=0):.0f} ms "
              f"| {before[number]:.1f} to {windows.heap():.1f} MB |", flush=True)


def main():
    url, name, password, seconds, *conversations = sys.argv[1:]
    proxy = Proxy(url)
    windows = Windows(proxy.url, name, password)
    try:
        count = int(seconds) * RATE
        measure(windows, proxy, f"text, {count * 5 // 1000:,} KB", conversations[0], prose(count))
        measure(windows, proxy, "a table of 200 rows", conversations[1], table(count))
    finally:
        windows.browser.close()


if __name__ == "__main__":
    main()
