// What the service worker does with a request, and when a new version takes over.

import assert from "node:assert/strict";
import { test } from "node:test";

import { belongsTo, mayTakeOver, wayOf } from "../../Web/js/shell.js";

const origin = "https://stoa.example";

function way(path, { method = "GET", mode = "cors", site = origin } = {}) {
    return wayOf({ method, mode, url: `${site}${path}` }, origin);
}

test("files with a hash in their name come from the cache", () => {
    assert.equal(way("/assets/main-AB12CD34.js"), "stored");
    assert.equal(way("/assets/main-AB12CD34.js", { mode: "no-cors" }), "stored");
    assert.equal(way("/assets/main-AB12CD34.js", { site: "https://evil.example" }), null);
    assert.equal(way("/assets/main-AB12CD34.js", { method: "POST" }), null);
});

test("the page comes from the network first", () => {
    assert.equal(way("/", { mode: "navigate" }), "page");
    assert.equal(way("/?x=1#conversation=c", { mode: "navigate" }), "page");
});

test("the API, the WebSocket and downloads are never touched", () => {
    for (const path of ["/api/v1/session", "/ws", "/healthz", "/metrics", "/sw.js", "/"]) {
        assert.equal(way(path), null, path);
    }
    for (const path of ["/api/v1/conversations/c/export?format=json", "/api/v1/openid/start",
        "/api/assets/x", "/index.html"]) {
        assert.equal(way(path, { mode: "navigate" }), null, path);
    }
});

test("a page belongs to a version if that has all of its files", () => {
    const html = '<script src="assets/main-A1.js"></script><link href="assets/page-B2.css">';
    assert.equal(belongsTo(html, ["assets/main-A1.js", "assets/page-B2.css", "assets/x.js"]), true);
    assert.equal(belongsTo(html, ["assets/main-A1.js"]), false);
    assert.equal(belongsTo("<p>The proxy's error page</p>", ["assets/main-A1.js"]), false);
});

test("a version takes over from a single page of its own, and breaks no other", () => {
    const names = ["assets/main-A1.js"];
    assert.equal(mayTakeOver({ pageCount: 1, script: "assets/main-A1.js" }, names), true);
    assert.equal(mayTakeOver({ pageCount: 2, script: "assets/main-A1.js" }, names), false);
    assert.equal(mayTakeOver({ pageCount: 1, script: "assets/main-00.js" }, names), false);
});
