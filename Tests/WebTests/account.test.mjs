// The account dialog's texts, and links with tokens.

import assert from "node:assert/strict";
import { test } from "node:test";

import { linkOf } from "../../Web/js/address.js";
import { openIDOffer } from "../../Web/js/backend.js";
import { deviceOf, endedElsewhereOf, keyNoteOf, signInNoteOf } from "../../Web/js/wording.js";

const webKit = "AppleWebKit/537.36 (KHTML, like Gecko)";

test("a device is named by its browser and system", () => {
    const names = {
        [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/140.0.0.0 Safari/537.36`]: "Chrome on Linux",
        [`Mozilla/5.0 (Windows NT 10.0) ${webKit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0`]:
            "Edge on Windows",
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0":
            "Firefox on Mac",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1":
            "Safari on iPhone",
        [`Mozilla/5.0 (Linux; Android 15) ${webKit} Chrome/140.0.0.0 Mobile Safari/537.36`]:
            "Chrome on Android",
        "stoa-chat/1.0": "stoa-chat",
        "stoa 0.1.0 on laptop": "stoa 0.1.0 on laptop",
        "My 24/7 laptop": "My 24/7 laptop",
        "": "An unknown program",
    };
    for (const [agent, name] of Object.entries(names)) assert.equal(deviceOf(agent), name, agent);
    assert.equal([...deviceOf("🙂".repeat(100))].length, 60);
    assert.equal([...deviceOf(`${"a".repeat(100)}/1`)].length, 40);
});

test("a sign-in shows when it was used, and which one is the current one", () => {
    const now = new Date(2026, 4, 3, 12, 30);
    const at = (...parts) => new Date(...parts).toISOString();
    const session = {
        created_at: at(2025, 11, 24, 8), last_used_at: at(2026, 4, 2, 23, 59),
    };
    assert.match(signInNoteOf(session, now), /^Last used yesterday .*11.59.* · since .*2025$/);
    assert.match(signInNoteOf({ ...session, current: true }, now), /^This device · since/);
    assert.equal(endedElsewhereOf(1), "Signed out on 1 other device.");
    assert.equal(endedElsewhereOf(3), "Signed out on 3 other devices.");
    assert.equal(endedElsewhereOf(0), "You were signed in nowhere else.");
});

test("a key shows its rights, its last use and its expiry", () => {
    const now = new Date(2026, 4, 3, 12, 30);
    const key = { scopes: ["read", "account"], created_at: now.toISOString() };
    assert.equal(keyNoteOf(key, now), "May read, change the account · never used · without an end");
    const tomorrow = new Date(2026, 4, 4, 12, 30).toISOString();
    const used = { ...key, last_used_at: key.created_at, expires_at: tomorrow };
    assert.match(keyNoteOf(used, now), /last used today .* · until tomorrow /);
});

test("a link is recognized by its purpose, a conversation's address is not a link", () => {
    assert.deepEqual(linkOf("#sign-up=ab12"), { purpose: "sign-up", token: "ab12" });
    assert.deepEqual(linkOf("#reset=ab12"), { purpose: "reset", token: "ab12" });
    assert.deepEqual(linkOf("#team-invite=ab12"), { purpose: "team-invite", token: "ab12" });
    for (const hash of ["", "#conversation=1", "#reset=", "#reset"]) assert.equal(linkOf(hash), null);
});

test("the available provider is shown beside the refusal", async (context) => {
    const answers = [
        { error: { code: "unauthenticated", message: "" }, openid: { provider: "id.example.org" } },
        { error: { code: "unauthenticated", message: "" } },
    ];
    context.mock.method(globalThis, "fetch", async () => Response.json(answers.shift(), { status: 401 }));
    assert.deepEqual(await openIDOffer(), { provider: "id.example.org" });
    assert.equal(await openIDOffer(), null);
});
