// What is stored for reading without the server, and how it is shown again.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ListState } from "../../Web/js/list-state.js";
import {
    conversationsMax, copyOf, restore, rowsMax, rowsToStore, surplus,
} from "../../Web/js/offline/copies.js";
import { Timeline } from "../../Web/js/timeline.js";

const time = "2026-01-01T00:00:00.000Z";
const end = "2026-01-02T00:00:00.000Z";
const members = [{ user: { id: "u1", name: "ann" }, role: "owner" }];

function message(number, fields = {}) {
    const parent = number > 1 ? `m${number - 1}` : undefined;
    const usual = { id: `m${number}`, parent, role: "user", text: "?", state: "complete" };
    return { ...usual, created_at: time, ...fields };
}

function timelineOf(messages, fields = {}) {
    const timeline = new Timeline("c");
    const conversation = { id: "c", title: "Tea", members, settings: {}, ...fields };
    timeline.adopt({ n: 7, snapshot: { conversation, messages }, growing: [] });
    return timeline;
}

function textsOf(timeline) {
    return [...timeline.messages.values()].map(({ text }) => text);
}

test("a copy shows the same conversation again, and its next watch requests everything", () => {
    const author = { id: "u1", name: "ann" };
    const timeline = timelineOf([
        message(1, { text: "What is tea?", author }),
        message(2, {
            role: "assistant", text: "A drink.", finish: "length", usage: { completion_tokens: 3 },
            siblings: ["m2", "m9"], feedback: [{ user: author, rating: 1 }],
        }),
    ]);
    const again = new Timeline("c");
    // The browser stores a copy as a value, so nothing in it may be a class or shared.
    restore(again, structuredClone(copyOf(timeline, 5)));
    assert.deepEqual(textsOf(again), ["What is tea?", "A drink."]);
    assert.deepEqual([...again.messages.values()], [...timeline.messages.values()]);
    assert.equal(again.conversation.title, "Tea");
    assert.equal(again.n, null);
    assert.equal(again.watchRequest().after, undefined);
});

test("the server's reply replaces what was restored", () => {
    const timeline = new Timeline("c");
    restore(timeline, copyOf(timelineOf([message(1)]), 5));
    timeline.adopt({
        n: 9, growing: [],
        snapshot: { conversation: { id: "c", members }, messages: [message(1), message(2, { text: "new" })] },
    });
    assert.deepEqual(textsOf(timeline), ["?", "new"]);
    assert.equal(timeline.n, 9);
});

test("an answer that grows is not part of a copy", () => {
    const timeline = timelineOf([message(1), message(2, { role: "assistant", state: "streaming" })]);
    const { reply } = copyOf(timeline, 5);
    assert.deepEqual(reply.snapshot.messages.map(({ id }) => id), ["m1"]);
});

test("a temporary conversation is never stored", () => {
    assert.equal(copyOf(timelineOf([message(1)], { expires_at: end }), 5), null);
    assert.deepEqual(rowsToStore([{ id: "a" }, { id: "b", expires_at: end }]), [{ id: "a" }]);
});

test("a conversation that is not loaded is not stored", () => {
    assert.equal(copyOf(new Timeline("c"), 5), null);
});

test("of long conversations the newest messages are stored", () => {
    const long = "x".repeat(200_000);
    const timeline = timelineOf([1, 2, 3, 4].map((number) => message(number, { text: long })));
    const { messages } = copyOf(timeline, 5).reply.snapshot;
    assert.deepEqual(messages.map(({ id }) => id), ["m3", "m4"]);
    const huge = copyOf(timelineOf([message(1, { text: "x".repeat(600_000) })]), 5);
    assert.equal(huge.reply.snapshot.messages.length, 1);
});

test("so many rows and conversations are stored, and no copy without its row", () => {
    const rows = Array.from({ length: 50 }, (_, index) => ({ id: `c${index}` }));
    assert.equal(rowsToStore(rows).length, rowsMax);
    const copies = rows.slice(0, 25).map(({ id }, index) => ({ id, at: index }));
    const unread = copies.slice(0, 25 - conversationsMax).map(({ id }) => id);
    assert.deepEqual(surplus(copies, rows).sort(), unread.sort());
    assert.deepEqual(surplus([{ id: "c1", at: 9 }, { id: "left", at: 10 }], rows), ["left"]);
});

test("stored rows are shown until the first page arrives", () => {
    const list = new ListState(40);
    list.showStored([{ id: "a", title: "old", updated_at: time }, { id: "b", updated_at: time }]);
    assert.deepEqual(list.conversations.map(({ id }) => id).sort(), ["a", "b"]);
    assert.equal(list.u, null);
    const request = list.resyncRequest();
    const row = { id: "a", title: "new", updated_at: time, u: 3 };
    list.take({ u: 4, conversations: [row] }, request);
    assert.deepEqual(list.conversations, [row]);
});
