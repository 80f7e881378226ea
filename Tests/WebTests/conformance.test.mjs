// Runs the conformance vectors of docs/reference/conformance with the page's modules.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { RequestError } from "../../Web/js/backend.js";
import { ListState } from "../../Web/js/list-state.js";
import { adviceOf } from "../../Web/js/reconnect.js";
import { Timeline } from "../../Web/js/timeline.js";

function load(name) {
    const url = new URL(`../../docs/reference/conformance/${name}.json`, import.meta.url);
    return JSON.parse(readFileSync(url, "utf8")).vectors;
}

/** Runs one step; returns what has to be done. */
function take(timeline, { reply, event }) {
    if (event?.ev === "lagged") return { resync: "watch", ended: false, checks: [] };
    const outcome = reply ? timeline.adopt(reply) : timeline.apply(event);
    for (const { message, sha256 } of outcome.checks) {
        const { text } = timeline.messages.get(message);
        const digest = createHash("sha256").update(text).digest("hex");
        if (digest !== sha256) outcome.resync = "snapshot";
    }
    return outcome;
}

function checkConversation(timeline, outcome, expected) {
    if (expected.over) {
        assert.equal(outcome.ended, true);
        return;
    }
    assert.equal(outcome.resync !== "none", expected.resync, "whether to watch again");
    if (expected.n !== undefined) assert.equal(timeline.n, expected.n);
    if (expected.ids) {
        assert.deepEqual([...timeline.messages.keys()].sort(), [...expected.ids].sort());
    }
    for (const { id, state, text } of expected.messages ?? []) {
        const message = timeline.messages.get(id);
        assert.equal(message.text, text);
        if (state !== null) assert.equal(message.state, state);
    }
    if (expected.have) assert.deepEqual(timeline.watchRequest().have, expected.have);
    if (expected.title) assert.equal(timeline.conversation.title, expected.title);
    if (expected.members) {
        const members = timeline.conversation.members.map(({ user, role }) => [user.id, role]);
        assert.deepEqual(Object.fromEntries(members), expected.members);
    }
}

for (const { name, conversation, steps } of load("conversations")) {
    test(`conversation: ${name}`, () => {
        const timeline = new Timeline(conversation);
        for (const step of steps) {
            checkConversation(timeline, take(timeline, step), step.expect);
        }
    });
}

/** A list request without its page size. */
function named(request) {
    if (request === null) return null;
    return request.after === undefined ? {} : { after: request.after };
}

for (const { name, steps } of load("lists")) {
    test(`list: ${name}`, () => {
        const list = new ListState(50);
        for (const { welcome, event, reply, more, expect } of steps) {
            if (welcome) {
                if (welcome.epoch) list.forgetNumbers();
                list.welcome(welcome.u);
            }
            if (event) list.apply(event);
            if (reply) list.take(reply, list.resyncRequest());
            if (more) list.take(more, list.moreRequest());
            assert.equal(list.u, expect.u);
            assert.deepEqual(named(list.resyncRequest()), expect.request);
            assert.deepEqual(list.conversations.map(({ title }) => title), expect.rows);
            if (expect.more !== undefined) assert.equal(list.moreRequest() !== null, expect.more);
        }
    });
}

test("close codes", () => {
    for (const { code, then } of load("closes")) {
        assert.equal(adviceOf(code), then.replace(" ", "-"), code);
    }
});

test("refusals: whether to try again", () => {
    for (const { frame, is, retry } of load("replies")) {
        if (is !== "refused") continue;
        assert.equal(new RequestError(frame.error).isRetryable, retry, frame.error.code);
    }
});
