// Applying events: durable ones by number, deltas by offset; gaps are filled.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Timeline } from "../../Web/js/timeline.js";

const ann = { id: "u1", name: "ann" };

const time = "2026-01-01T00:00:00.000Z";

function question(id, text = "?", parent = undefined) {
    return { id, parent, role: "user", author: ann, text, state: "complete", created_at: time };
}

function answer(id, fields = {}) {
    const usual = { parent: "q", role: "assistant", text: "", state: "queued", created_at: time };
    return { id, ...usual, ...fields };
}

function snapshot(n, messages, fields = {}) {
    const members = [{ user: ann, role: "owner" }];
    const conversation = { id: "c", title: "", members, settings: {} };
    return { n, snapshot: { conversation, messages, more: false }, growing: [], ...fields };
}

/** A timeline with a question and a queued answer, at event 2. */
function begun() {
    const timeline = new Timeline("c");
    timeline.adopt(snapshot(2, [question("q"), answer("a")]));
    return timeline;
}

function delta(at, text, run = "r") {
    const to = at + Buffer.byteLength(text);
    return { ev: "message.delta", conversation: "c", message: "a", run, at, to, text };
}

function ended(n, to, fields = {}) {
    const event = { ev: "message.completed", message: "a", run: "r", sha256: "s", finish: "stop" };
    return { ...event, n, to, ...fields };
}

function textOf(timeline) {
    return timeline.messages.get("a").text;
}

test("the first watch requests everything, later ones the events after the last", () => {
    const timeline = new Timeline("c");
    assert.deepEqual(timeline.watchRequest(), { conversation: "c" });
    timeline.adopt(snapshot(2, [question("q"), answer("a")]));
    timeline.apply(delta(0, "Grü"));
    assert.deepEqual(timeline.watchRequest(), { conversation: "c", after: 2, have: { a: 4 }, leaf: "a" });
});

test("an answer is queued, starts, gets deltas and ends", () => {
    const timeline = begun();
    const message = timeline.messages.get("a");
    timeline.apply({ ev: "message.queued", message: "a", position: 3 });
    assert.equal(message.position, 3);
    timeline.apply({ ev: "message.started", message: "a", run: "r", dropped_messages: 4 });
    timeline.apply({ ev: "message.progress", message: "a", done: 1, total: 2 });
    assert.deepEqual([message.state, message.droppedMessages], ["streaming", 4]);
    assert.equal(timeline.pendingAnswer, message);
    timeline.apply(delta(0, "Hello"));
    assert.equal(message.progress, null);
    const usage = { tokens_per_second: 9 };
    const outcome = timeline.apply(ended(3, 5, { usage }));
    assert.deepEqual(outcome.checks, [{ message: "a", sha256: "s" }]);
    assert.deepEqual([message.state, message.usage, timeline.n], ["complete", usage, 3]);
    assert.equal(timeline.pendingAnswer, null);
});

test("a duplicate event has no effect", () => {
    const timeline = begun();
    const event = { ev: "message.created", n: 2, message: question("other", "?", "a") };
    assert.equal(timeline.apply(event).reordered, false);
    assert.equal(timeline.messages.size, 2);
});

test("a missing number is filled by watching from the last event", () => {
    const timeline = begun();
    const outcome = timeline.apply({ ev: "message.created", n: 4, message: question("q2", "?", "a") });
    assert.equal(outcome.resync, "watch");
    assert.deepEqual([timeline.n, timeline.messages.size], [2, 2]);
});

test("a missing delta is filled from the byte where it is missing", () => {
    const timeline = begun();
    timeline.apply(delta(0, "one "));
    assert.equal(timeline.apply(delta(8, "three")).resync, "watch");
    const reply = { n: 2, events: [], growing: [delta(4, "two three")] };
    assert.equal(timeline.adopt(reply).resync, "none");
    assert.equal(textOf(timeline), "one two three");
});

test("a snapshot keeps the part of a partial text that the request named", () => {
    const timeline = begun();
    timeline.apply(delta(0, "one "));
    const growing = [delta(4, "two")];
    const messages = [question("q"), answer("a", { state: "streaming", run: "r" })];
    timeline.adopt(snapshot(70, messages, { growing }));
    assert.equal(textOf(timeline), "one two");
});

test("a reply about another run continues after the bytes that it confirms", () => {
    const timeline = begun();
    timeline.apply(delta(0, "old text"));
    const outcome = timeline.adopt({ n: 2, events: [], growing: [delta(4, "new", "r2")] });
    assert.equal(outcome.resync, "none");
    assert.equal(textOf(timeline), "old new");
    timeline.apply(delta(7, "er", "r2"));
    assert.equal(textOf(timeline), "old newer");
});

test("after a reply beyond our text, the text is requested from its start", () => {
    const timeline = begun();
    timeline.apply(delta(0, "old text"));
    const outcome = timeline.adopt({ n: 2, events: [], growing: [delta(9, "new", "r2")] });
    assert.equal(outcome.resync, "watch");
    assert.deepEqual(timeline.watchRequest().have, {});
    timeline.adopt({ n: 2, events: [], growing: [delta(0, "new text new", "r2")] });
    assert.equal(textOf(timeline), "new text new");
});

test("a takeover continues at its stated offset", () => {
    const timeline = begun();
    timeline.apply(delta(0, "öld"));
    timeline.apply({ ev: "message.restarted", message: "a", run: "r2", at: 2 });
    assert.equal(textOf(timeline), "ö");
    timeline.apply(delta(2, "re", "r2"));
    assert.equal(textOf(timeline), "öre");
    timeline.apply({ ev: "message.restarted", message: "a", run: "r3", at: 0 });
    assert.equal(textOf(timeline), "");
    timeline.apply(delta(0, "new", "r3"));
    assert.equal(textOf(timeline), "new");
});

test("after a takeover beyond our text, or inside a character, the text is requested again", () => {
    for (const at of [1, 9]) {
        const timeline = begun();
        timeline.apply(delta(0, "öld"));
        const event = { ev: "message.restarted", message: "a", run: "r2", at };
        assert.equal(timeline.apply(event).resync, "watch");
        assert.deepEqual(timeline.watchRequest().have, {});
    }
});

test("a final text that is shorter than stored is requested as a whole", () => {
    const timeline = begun();
    timeline.apply(delta(0, "Hel"));
    assert.equal(timeline.apply(ended(3, 5)).resync, "snapshot");
});

test("a replayed end contains the text", () => {
    const timeline = begun();
    const outcome = timeline.adopt({ n: 3, events: [ended(3, 5, { text: "Hello" })], growing: [] });
    assert.equal(outcome.resync, "none");
    assert.equal(textOf(timeline), "Hello");
});

test("an answer that was stopped before this reader's position is cut to its stated end", () => {
    const timeline = begun();
    timeline.apply(delta(0, "Hello 🙂 world"));
    const event = { ...ended(3, 10), ev: "message.stopped", finish: "stopped" };
    assert.equal(timeline.apply(event).resync, "none");
    assert.deepEqual([textOf(timeline), timeline.messages.get("a").state], ["Hello 🙂", "stopped"]);
});

test("an answer that was stopped before it started is empty, whatever its run", () => {
    const timeline = begun();
    timeline.apply({ ...ended(3, 0), ev: "message.stopped", run: "other" });
    assert.equal(timeline.messages.get("a").state, "stopped");
});

test("a late delta of an ended answer has no effect", () => {
    const timeline = begun();
    timeline.apply(delta(0, "Hello"));
    timeline.apply(ended(3, 5));
    assert.equal(timeline.apply(delta(5, "!")).resync, "none");
    assert.equal(textOf(timeline), "Hello");
});

test("older pages are prepended, without duplicates", () => {
    const timeline = new Timeline("c");
    timeline.adopt(snapshot(2, [question("q", "?", "o2"), answer("a")]));
    assert.equal(timeline.hasOlder, true);
    const page = [question("o1", "?", "o0"), question("o2", "?", "o1"), question("q", "?", "o2")];
    timeline.prepend(page);
    assert.deepEqual([...timeline.messages.keys()], ["o1", "o2", "q", "a"]);
    assert.equal(timeline.hasOlder, true);
    timeline.prepend([question("o0")]);
    assert.equal(timeline.hasOlder, false);
});

test("members come, change and go; a change does not contain the reader's own role", () => {
    const timeline = begun();
    const bob = { id: "u2", name: "bob" };
    timeline.apply({ ev: "member.changed", n: 3, user: bob, role: "editor" });
    timeline.apply({ ev: "member.changed", n: 4, user: bob, role: "viewer" });
    assert.deepEqual(timeline.conversation.members[1], { user: bob, role: "viewer" });
    timeline.apply({ ev: "member.changed", n: 5, user: bob });
    assert.equal(timeline.conversation.members.length, 1);
    const changed = { title: "New", system_prompt: "p", settings: {} };
    const outcome = timeline.apply({ ev: "conversation.updated", n: 6, changed });
    assert.equal(outcome.conversationChanged, true);
    assert.equal(timeline.conversation.title, "New");
});

test("durable events of unknown kinds are counted", () => {
    const timeline = begun();
    timeline.apply({ ev: "message.feedback", n: 3 });
    assert.equal(timeline.n, 3);
    assert.equal(timeline.apply({ ev: "conversation.deleted", n: 4 }).ended, true);
});

test("the archived state is the last one received, whatever its number", () => {
    const timeline = begun();
    timeline.summarize({ id: "c", n: 2, archived: true, pinned: true });
    assert.equal(timeline.conversation.pinned, true);
    assert.equal(timeline.conversation.archived, true);
    timeline.summarize({ id: "c", n: 1, title: "older" });
    assert.equal(timeline.conversation.archived, false);
    assert.equal(timeline.conversation.title, "");
});
