"""An engine that speaks OpenAI's API, and is silent for a while between its two words."""

import http.server
import json
import threading
import time


class SilentEngine:
    """Serves `POST /v1/chat/completions` with streams on a port of this machine, for a `with` statement."""

    def __init__(self, port, seconds):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                models = {"object": "list", "data": [{"id": "silent", "object": "model", "owned_by": "check"}]}
                self._answer("application/json", [json.dumps(models)])

            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self._answer("text/event-stream", self._events())

            def _events(self):
                yield self._event({"role": "assistant", "content": "first"})
                time.sleep(seconds)
                yield self._event({"content": " second"})
                yield self._event({}, "stop")
                yield "data: [DONE]\n\n"

            def _event(self, delta, reason=None):
                choice = {"index": 0, "delta": delta, "finish_reason": reason}
                chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "silent"}
                return "data: " + json.dumps({**chunk, "choices": [choice]}) + "\n\n"

            def _answer(self, kind, texts):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Connection", "close")
                self.end_headers()
                self.close_connection = True
                for text in texts:
                    self.wfile.write(text.encode())
                    self.wfile.flush()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *problem):
        self.server.shutdown()
        self.server.server_close()
