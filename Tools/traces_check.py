#!/usr/bin/env python3
"""Runs a server that sends its traces to this program, asks a question, and reads what was sent as messages of
opentelemetry-proto, so that OTLP's own definitions decide whether names and forms are right.

    pip install opentelemetry-proto
    Tools/traces_check.py [PROGRAM]    PROGRAM is .build/release/stoa unless given

Needs PostgreSQL's programs. Exit status: 0 if all is well, 77 if opentelemetry-proto is not installed.
"""

import base64
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

try:
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.trace.v1.trace_pb2 import Span
except ImportError:
    print("skipped: opentelemetry-proto is not installed for Python")
    sys.exit(77)

PASSWORD = "a good long password"
QUESTION = "What is 2 + 3?"
PARTS = {"message.send", "commit", "queue", "prompt", "engine", "store", "fan-out"}


class Collector(http.server.BaseHTTPRequestHandler):
    bodies = []

    def do_POST(self):
        self.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


def with_base64_ids(value):
    """OTLP writes ids as hexadecimal digits, where JSON of protobuf has base64 (opentelemetry.io/docs/specs/otlp)."""
    if isinstance(value, list):
        return [with_base64_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64encode(bytes.fromhex(item)).decode()
        if key in ("traceId", "spanId", "parentSpanId") else with_base64_ids(item)
        for key, item in value.items()
    }


def spans():
    """The spans so far; an unknown field or a value of another type is an error."""
    for body in list(Collector.bodies):
        message = json_format.ParseDict(with_base64_ids(json.loads(body)), ExportTraceServiceRequest())
        for group in message.resource_spans:
            names = {attribute.key: attribute.value.string_value for attribute in group.resource.attributes}
            assert names["service.name"] == "stoa" and names["service.instance.id"], names
            for scope in group.scope_spans:
                yield from scope.spans


def turn():
    """The spans of the question's trace, once they are all here."""
    found = list(spans())
    trace = next((span.trace_id for span in found if span.name == "message.send"), None)
    found = [span for span in found if span.trace_id == trace]
    return found if PARTS <= {span.name for span in found} else None


def judge(found):
    root = next(span for span in found if span.name == "message.send")
    assert root.kind == Span.SPAN_KIND_SERVER and not root.parent_span_id
    for span in found:
        assert len(span.trace_id) == 16 and len(span.span_id) == 8
        assert span is root or span.parent_span_id == root.span_id, span.name
        assert 10**18 < span.start_time_unix_nano <= span.end_time_unix_nano, span.name
    engine = next(span for span in found if span.name == "engine")
    values = {attribute.key: attribute.value for attribute in engine.attributes}
    assert values["gen_ai.usage.output_tokens"].int_value > 0
    assert [event.name for event in engine.events][:2] == ["started", "first token"]
    assert not any(QUESTION.encode() in body or b"ann" in body for body in Collector.bodies)


def main():
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".build/release/stoa").resolve()
    collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="stoa-traces-", dir="/var/tmp") as folder:
        work = pathlib.Path(folder)
        # PostgreSQL runs as another user if this is root.
        work.chmod(0o755)
        environment = {"HOME": folder, "XDG_STATE_HOME": f"{folder}/state", "PATH": "/usr/bin:/bin"}

        def run(*arguments, text):
            subprocess.run(
                [program, *arguments], input=text, text=True, check=True, stdout=subprocess.DEVNULL,
                env=environment, timeout=120)

        data = ["--data-dir", work / "data"]
        run("user", "add", "ann", "--password-stdin", *data, text=PASSWORD + "\n")
        endpoint = f"http://127.0.0.1:{collector.server_port}/v1/traces"
        log = work / "log"
        with log.open("w") as output:
            server = subprocess.Popen(
                [program, "serve", *data, "--port", "0", "--traces-endpoint", endpoint], stdout=output,
                stderr=subprocess.STDOUT, env=environment)
        try:
            end = time.monotonic() + 120
            while not (ready := re.search(r"^ready (\S+)", log.read_text(), re.MULTILINE)):
                assert server.poll() is None and time.monotonic() < end, log.read_text()
                time.sleep(0.2)
            run("chat", "--server", ready[1], "--user", "ann", "--password-stdin", text=f"{PASSWORD}\n{QUESTION}\n")
            while not (found := turn()):
                assert time.monotonic() < end, sorted(span.name for span in spans())
                time.sleep(0.2)
        finally:
            server.terminate()
            server.wait(timeout=60)
        judge(found)
    print(f"{len(found)} spans of a turn, {len(list(spans()))} in all, in {len(Collector.bodies)} requests: all valid")


main()
