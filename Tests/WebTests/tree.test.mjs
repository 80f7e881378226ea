// Which branch a tab shows while others make new ones, and what can be done to the tree.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Message } from "../../Web/js/message.js";
import { MessageTree } from "../../Web/js/message-tree.js";
import { Timeline } from "../../Web/js/timeline.js";

const ann = { id: "u1", name: "ann" };
const time = "2026-01-01T00:00:00.000Z";

function question(id, parent, fields = {}) {
    const usual = { role: "user", author: ann, text: id, state: "complete", created_at: time };
    return { id, parent, ...usual, ...fields };
}

function answer(id, parent, fields = {}) {
    const usual = { role: "assistant", text: "", state: "queued", run: "r", created_at: time };
    return { id, parent, ...usual, ...fields };
}

function adopted(messages, fields = {}, n = 2) {
    const timeline = new Timeline("c");
    const conversation = { id: "c", title: "", members: [{ user: ann, role: "owner" }], settings: {} };
    const snapshot = { conversation, messages, more: false, ...fields };
    timeline.adopt({ n, snapshot, growing: [] });
    return timeline;
}

/** A question with its answer, at number 2. */
function begun(fields) {
    return adopted([question("q"), answer("a", "q")], fields);
}

function created(n, message) {
    return { ev: "message.created", n, message };
}

function shown(timeline) {
    return [...timeline.messages.keys()];
}

test("a tab that follows what is newest goes with it", () => {
    const timeline = begun();
    const outcome = timeline.apply(created(3, question("p", undefined, { siblings: ["q", "p"] })));
    assert.equal(outcome.reordered, true);
    assert.deepEqual(shown(timeline), ["p"]);
    timeline.apply(created(4, answer("b", "p")));
    assert.deepEqual(shown(timeline), ["p", "b"]);
    assert.deepEqual(timeline.get("q").siblings, ["q", "p"]);
    // What is not shown grows all the same, and is asked for after a gap.
    timeline.apply({ ev: "message.delta", message: "a", run: "r", at: 0, to: 2, text: "Hi" });
    assert.deepEqual(timeline.watchRequest().have, { a: 2 });
    assert.equal(timeline.watchRequest().leaf, "b");
});

test("a tab that shows a chosen branch stays there and counts the others", () => {
    const timeline = begun({ selected: "a" });
    const outcome = timeline.apply(created(3, answer("b", "q", { siblings: ["a", "b"] })));
    assert.equal(outcome.reordered, false);
    assert.ok(outcome.changed.has("a"));
    assert.deepEqual(shown(timeline), ["q", "a"]);
    assert.deepEqual(timeline.messages.get("a").siblings, ["a", "b"]);
    timeline.apply(created(4, question("more", "a")));
    assert.deepEqual(shown(timeline), ["q", "a", "more"]);
    timeline.select("b");
    assert.deepEqual(shown(timeline), ["q", "b"]);
    timeline.select(null);
    assert.deepEqual(shown(timeline), ["q", "a", "more"]);
});

test("what another tab chose changes nothing here, also after a snapshot", () => {
    const timeline = begun({ selected: "a" });
    timeline.forget();
    const conversation = timeline.conversation;
    const messages = [question("q"), answer("a", "q", { siblings: ["a", "b"] })];
    const snapshot = { conversation, messages, more: false, selected: "b" };
    timeline.adopt({ n: 9, snapshot, growing: [] });
    assert.deepEqual(shown(timeline), ["q", "a"]);
    assert.equal(timeline.selected, "a");
});

test("a branch that the server tells is shown, and kept when older pages come", () => {
    const timeline = begun();
    timeline.showBranch([question("x", "w"), answer("y", "x")]);
    assert.deepEqual(shown(timeline), ["x", "y"]);
    assert.equal(timeline.hasOlder, true);
    timeline.prepend([question("v"), answer("w", "v")]);
    assert.deepEqual(shown(timeline), ["v", "w", "x", "y"]);
    assert.equal(timeline.hasOlder, false);
});

test("what comes back is asked for", () => {
    const timeline = begun();
    timeline.apply({ ev: "message.deleted", n: 3, messages: ["a"] });
    const outcome = timeline.apply({ ev: "message.restored", n: 4, messages: ["a"] });
    assert.equal(outcome.healing, "snapshot");
});

test("what is deleted goes with all below it, and does not come back", () => {
    const timeline = begun({ selected: "a" });
    timeline.apply(created(3, answer("b", "q", { siblings: ["a", "b"] })));
    timeline.apply(created(4, question("more", "a")));
    timeline.apply({ ev: "message.deleted", n: 5, messages: ["a", "more"] });
    assert.deepEqual(shown(timeline), ["q", "b"]);
    assert.deepEqual(timeline.messages.get("b").siblings, []);
    timeline.prepend([answer("a", "q")]);
    assert.deepEqual(timeline.siblingsOf("b"), ["b"]);
});

test("what was never told and is to be shown is asked for", () => {
    const timeline = adopted([answer("b", "q", { siblings: ["a", "b"] })]);
    const deletion = { ev: "message.deleted", n: 3, messages: ["b"] };
    assert.equal(timeline.apply(deletion).healing, "snapshot");
    const far = adopted([answer("z", "y")]);
    const cut = { ev: "message.deleted", n: 3, messages: ["x", "y", "z"] };
    assert.equal(far.apply(cut).healing, "snapshot");
});

test("an answer that goes on begins with the text of the other", () => {
    const timeline = begun();
    timeline.apply(created(3, answer("b", "q", { text: "Green", continues: "a" })));
    timeline.apply({ ev: "message.delta", message: "b", run: "r", at: 5, to: 9, text: " tea" });
    assert.equal(timeline.messages.get("b").text, "Green tea");
});

test("opinions come, change and go", () => {
    const timeline = begun();
    const rated = (n, rating) => timeline.apply(
        { ev: "message.feedback", n, message: "a", user: ann, rating });
    rated(3, 1);
    assert.equal(timeline.messages.get("a").ratingOf("u1"), 1);
    rated(4, -1);
    assert.deepEqual(timeline.messages.get("a").feedback.length, 1);
    rated(5, undefined);
    assert.equal(timeline.messages.get("a").ratingOf("u1"), null);
});

test("only an answer that was cut short can go on", () => {
    const cut = (fields) => new Message(answer("a", "q", { text: "x", ...fields })).isCutShort;
    assert.equal(cut({ state: "complete", finish: "stop" }), false);
    assert.equal(cut({ state: "complete", finish: "length" }), true);
    assert.equal(cut({ state: "stopped", finish: "stopped" }), true);
    assert.equal(cut({ state: "failed", finish: "error" }), true);
    assert.equal(cut({ state: "stopped", finish: "stopped", text: "" }), false);
});

test("a branch runs through the message that names it to the newest reply", () => {
    const tree = new MessageTree();
    for (const [id, parent] of [["1", null], ["2", "1"], ["3", "1"], ["4", "2"]]) {
        tree.insert(id, parent);
    }
    assert.deepEqual(tree.shownBranch("1"), ["1", "3"]);
    assert.deepEqual(tree.shownBranch("2"), ["1", "2", "4"]);
    assert.deepEqual(tree.shownBranch(null), ["1", "2", "4"]);
    tree.remove(["2", "4"]);
    assert.deepEqual(tree.shownBranch(null), ["1", "3"]);
    assert.equal(tree.newest, "3");
    tree.remove(["1", "3"]);
    assert.equal(tree.newest, null);
});
