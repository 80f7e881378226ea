"""A client of Stoa for the checks of this folder: signs in, chats over a WebSocket, and reads a stream of OpenAI's API.
It can come from another network namespace, and so from another address than the server's machine."""

import base64
import contextlib
import ctypes
import http.client
import json
import os
import socket
import ssl
import struct
import time

from processes import PASSWORD

CLONE_NEWNET = 0x40000000
# /proc/self/ns/net is of the thread's namespace at the time: this one stays.
OWN_NAMESPACE = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


class Route:
    """How to reach the server: its address and name, and where the client is."""

    def __init__(self, host, port, name=None, authority=None, source=None, namespace=None):
        self.host, self.port, self.name = host, port, name or host
        self.context = ssl.create_default_context(cafile=authority) if authority else None
        self.source, self.namespace = source, namespace

    def at(self, source):
        """The same route from another address of the client's."""
        route = Route(self.host, self.port, self.name, None, source, self.namespace)
        route.context = self.context
        return route

    def connect(self, timeout=30):
        # A socket stays in the namespace in which it was made. setns changes this thread only.
        if self.namespace:
            with open(self.namespace) as other:
                enter(other.fileno())
        try:
            connection = socket.socket()
        finally:
            if self.namespace:
                enter(OWN_NAMESPACE)
        connection.settimeout(timeout)
        if self.source:
            connection.bind((self.source, 0))
        try:
            connection.connect((self.host, self.port))
            if self.context:
                connection = self.context.wrap_socket(connection, server_hostname=self.name)
        except OSError:
            connection.close()
            raise
        return connection


def enter(namespace):
    """Moves this thread into a network namespace, by its descriptor."""
    if ctypes.CDLL(None, use_errno=True).setns(namespace, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def request(route, method, path, body=None, headers=None, timeout=30):
    """The response to an HTTP request, whose body is still to be read."""
    connection = http.client.HTTPConnection(route.name, route.port, timeout=timeout)
    connection.sock = route.connect(timeout)
    lines = {"Content-Type": "application/json", "Host": route.name, "Connection": "close", **(headers or {})}
    connection.request(method, path, json.dumps(body).encode() if body is not None else None, lines)
    return connection.getresponse()


def sign_in(route, user="ann"):
    response = request(route, "POST", "/api/v1/session", {"username": user, "password": PASSWORD})
    text = response.read()
    if response.status not in (200, 201):
        raise OSError(f"signing in: {response.status} {text[:200]}")
    return json.loads(text)["token"]


class WebSocket:
    """Requests and events of Stoa's own protocol."""

    def __init__(self, route, token, headers=None):
        self.socket, self.buffer, self.last, self.events = route.connect(), b"", 0, []
        self.deadline = None
        lines = [
            "GET /ws HTTP/1.1", f"Host: {route.name}", "Upgrade: websocket", "Connection: Upgrade",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Protocol: stoa.v1", f"Authorization: Bearer {token}",
            *(f"{name}: {value}" for name, value in (headers or {}).items()),
        ]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            self._receive()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            self.close()
            raise OSError(head.split(b"\r\n")[0].decode())

    def close(self):
        self.socket.close()

    def _receive(self):
        if self.deadline:
            # Pings must not prolong it.
            self.socket.settimeout(max(0.001, self.deadline - time.monotonic()))
        data = self.socket.recv(1 << 16)
        if not data:
            raise OSError("closed")
        self.buffer += data

    def _take(self, count):
        while len(self.buffer) < count:
            self._receive()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def _send(self, opcode, payload):
        length = len(payload)
        head = bytes([0x80 | opcode, 0x80 | length]) if length < 126 else (
            bytes([0x80 | opcode, 0xFE]) + struct.pack(">H", length))
        self.socket.sendall(head + b"\0\0\0\0" + payload)

    def frame(self):
        """The next message. Pings are answered."""
        while True:
            first, length = self._take(2)
            if length >= 126:
                kind, count = (">H", 2) if length == 126 else (">Q", 8)
                length = struct.unpack(kind, self._take(count))[0]
            payload = self._take(length)
            if first & 15 == 8:
                raise OSError(f"closed: {struct.unpack('>H', payload[:2])[0] if payload else 'no code'}")
            if first & 15 == 9:
                self._send(10, payload)
            if first & 15 == 1:
                return json.loads(payload)

    def listen(self, seconds):
        """Only answers pings for so long."""
        self.deadline = time.monotonic() + seconds
        with contextlib.suppress(TimeoutError):
            while True:
                self.events.append(self.frame())
        self.deadline = None
        self.socket.settimeout(30)

    def call(self, operation, **body):
        """The reply's `ok`; an OSError if it is an error."""
        self.last += 1
        self._send(1, json.dumps({"id": self.last, "op": operation, **body}).encode())
        while True:
            frame = self.frame()
            if frame.get("id") != self.last:
                self.events.append(frame)
            elif "error" in frame:
                raise OSError(f"{frame['error']['code']}: {frame['error']['message']}")
            else:
                return frame["ok"]


def messages(web_socket, conversation):
    return web_socket.call("message.list", conversation=conversation, limit=100)["messages"]


def stream(route, secret, model, text, timeout=30):
    """Yields the texts of a streamed chat completion as they arrive; the last is None if the stream ended as it must."""
    body = {"model": model, "stream": True, "temperature": 0, "max_tokens": 64,
            "messages": [{"role": "user", "content": text}]}
    headers = {"Authorization": f"Bearer {secret}"}
    response = request(route, "POST", "/v1/chat/completions", body, headers, timeout)
    if response.status != 200:
        raise OSError(f"streaming: {response.status} {response.read()[:200]}")
    while line := response.readline():
        data = line.decode().strip().removeprefix("data: ")
        if data == "[DONE]":
            yield None
            return
        if line.startswith(b"data: "):
            choices = json.loads(data).get("choices") or [{}]
            if content := choices[0].get("delta", {}).get("content"):
                yield content
