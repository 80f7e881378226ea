"""Measures what a visit of the page costs, with headless Chromium on an emulated line: 100 ms for each answer of
the server and 5 Mbit/s down. Prints the rows of a table. Run by page.sh. Usage: page.py URL NAME PASSWORD"""

import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

LINE = {"offline": False, "latency": 100, "downloadThroughput": 5e6 / 8, "uploadThroughput": 1e6 / 8}
ROUNDS = 3

# Notes in each document when something can be seen first, in milliseconds since the visit began.
WATCHER = """
window.seen = {};
const conditions = {
    form: () => document.getElementById("sign-in")?.hidden === false,
    view: () => document.getElementById("workspace")?.hidden === false
        && document.getElementById("connection-state")?.dataset.connection === "live"
        && (document.querySelector("[data-conversation-id]") !== null
            || document.getElementById("list-note")?.hidden === false),
};
const look = () => {
    for (const [name, holds] of Object.entries(conditions)) {
        if (!(name in window.seen) && holds()) window.seen[name] = performance.now();
    }
    requestAnimationFrame(look);
};
look();
"""


class Browser:
    """A browser with an empty profile."""

    def __init__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL)
        self.address = f"http://127.0.0.1:{port}"
        self.profile = tempfile.TemporaryDirectory()
        for _ in range(100):
            try:
                self.call("GET", "/status")
                break
            except OSError:
                time.sleep(0.1)
        options = {"args": ["--headless=new", "--no-sandbox", f"--user-data-dir={self.profile.name}"]}
        capabilities = {"goog:chromeOptions": options, "goog:loggingPrefs": {"performance": "ALL"}}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.address += f"/session/{session['sessionId']}"
        self.devtools("Page.addScriptToEvaluateOnNewDocument", source=WATCHER)
        self.devtools("Network.enable")
        self.devtools("Network.emulateNetworkConditions", **LINE)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"content-type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)["value"]

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def script(self, text, *arguments):
        return self.call("POST", "/execute/sync", {"script": text, "args": arguments})

    def visit(self, url):
        self.traffic()
        self.call("POST", "/url", {"url": url})

    def moment(self, name, limit=30):
        """Waits until the page has shown something, and returns when it did, in milliseconds."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            found = self.script("return window.seen?.[arguments[0]] ?? null", name)
            if found is not None:
                return found
            time.sleep(0.05)
        sys.exit(f"the page did not show: {name}")

    def traffic(self):
        """Requests over the network and their bytes as they were sent, since the last call."""
        requests, size, cached = 0, 0, set()
        for entry in self.call("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            event, facts = message["method"], message["params"]
            if event == "Network.webSocketCreated":
                requests += 1
            elif event == "Network.requestServedFromCache":
                cached.add(facts["requestId"])
            elif event == "Network.loadingFinished" and facts["requestId"] not in cached:
                requests += facts["encodedDataLength"] > 0
                size += facts["encodedDataLength"]
        return requests, size / 1000

    def sign_in(self, name, password):
        self.script("""
            document.getElementById("sign-in-name").value = arguments[0];
            document.getElementById("sign-in-password").value = arguments[1];
            document.getElementById("sign-in-submit").click();""", name, password)
        self.moment("view")

    def ask(self, text):
        """Asks in a new conversation; returns the milliseconds until the first words of the answer."""
        return self.call("POST", "/execute/async", {"script": """
            const [text, done] = arguments;
            document.getElementById("new-conversation").click();
            setTimeout(() => {
                const field = document.getElementById("composer-text");
                field.value = text;
                field.dispatchEvent(new Event("input", { bubbles: true }));
                const start = performance.now();
                document.getElementById("send").click();
                const look = () => {
                    const answer = document.querySelector(
                        '[data-role="assistant"] [data-testid="message-text"]');
                    if (answer?.textContent.trim()) done(performance.now() - start);
                    else requestAnimationFrame(look);
                };
                look();
            }, 1000);""", "args": [text]})

    def close(self):
        self.call("DELETE", "")
        self.driver.terminate()
        self.driver.wait()
        self.profile.cleanup()


def median(values):
    return sorted(values)[len(values) // 2]


def measure(url, name, password):
    """One round: `{row: (requests, KB, ms)}`."""
    browser = Browser()
    try:
        rows = {}
        browser.visit(url)
        shown = browser.moment("form")
        rows["sign-in form, first visit"] = (*browser.traffic(), shown)
        browser.sign_in(name, password)
        rows["first words of an answer, after sending"] = (0, 0, browser.ask("What is Stoa?"))
        # The same user with nothing stored but the cookie.
        browser.devtools("Network.clearBrowserCache")
        browser.devtools("Storage.clearDataForOrigin", origin=url, storageTypes="service_workers,cache_storage")
        browser.visit(url)
        shown = browser.moment("view")
        rows["view of a signed-in user, nothing cached"] = (*browser.traffic(), shown)
        time.sleep(3)
        browser.visit(url)
        shown = browser.moment("view")
        rows["view of a signed-in user, next visit"] = (*browser.traffic(), shown)
        return rows
    finally:
        browser.close()


def main():
    rounds = [measure(*sys.argv[1:]) for _ in range(ROUNDS)]
    for row in rounds[0]:
        requests, size, shown = (median([found[row][column] for found in rounds]) for column in range(3))
        traffic = f"{requests} | {size:.0f} KB" if requests else "|"
        print(f"| {row} | {traffic} | {shown / 1000:.2f} s |")


if __name__ == "__main__":
    main()
