// Which branch a tab shows while others create new ones, and changes of the tree.

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

/** A question with its answer, at event 2. */
function begun(fields) {
    return adopted([question("q"), answer("a", "q")], fields);
}

function created(n, message) {
    return { ev: "message.created", n, message };
}

function shown(timeline) {
    return [...timeline.messages.keys()];
}

test("a tab without a selection follows the newest branch", () => {
    const timeline = begun();
    const outcome = timeline.apply(created(3, question("p", undefined, { siblings: ["q", "p"] })));
    assert.equal(outcome.reordered, true);
    assert.deepEqual(shown(timeline), ["p"]);
    timeline.apply(created(4, answer("b", "p")));
    assert.deepEqual(shown(timeline), ["p", "b"]);
    assert.deepEqual(timeline.get("q").siblings, ["q", "p"]);
    // Hidden messages are updated, too, and requested after a gap.
    timeline.apply({ ev: "message.delta", message: "a", run: "r", at: 0, to: 2, text: "Hi" });
    assert.deepEqual(timeline.watchRequest().have, { a: 2 });
    assert.equal(timeline.watchRequest().leaf, "b");
});

test("a tab with a selected branch stays there and counts siblings", () => {
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

test("another tab's selection has no effect, also after a snapshot", () => {
    const timeline = begun({ selected: "a" });
    timeline.forget();
    const conversation = timeline.conversation;
    const messages = [question("q"), answer("a", "q", { siblings: ["a", "b"] })];
    const snapshot = { conversation, messages, more: false, selected: "b" };
    timeline.adopt({ n: 9, snapshot, growing: [] });
    assert.deepEqual(shown(timeline), ["q", "a"]);
    assert.equal(timeline.selected, "a");
});

test("a branch from the server is shown, and kept when older pages arrive", () => {
    const timeline = begun();
    timeline.showBranch([question("x", "w"), answer("y", "x")]);
    assert.deepEqual(shown(timeline), ["x", "y"]);
    assert.equal(timeline.hasOlder, true);
    timeline.prepend([question("v"), answer("w", "v")]);
    assert.deepEqual(shown(timeline), ["v", "w", "x", "y"]);
    assert.equal(timeline.hasOlder, false);
});

test("restored messages are requested", () => {
    const timeline = begun();
    timeline.apply({ ev: "message.deleted", n: 3, messages: ["a"] });
    const outcome = timeline.apply({ ev: "message.restored", n: 4, messages: ["a"] });
    assert.equal(outcome.resync, "snapshot");
});

test("a deletion removes all descendants, and they do not come back", () => {
    const timeline = begun({ selected: "a" });
    timeline.apply(created(3, answer("b", "q", { siblings: ["a", "b"] })));
    timeline.apply(created(4, question("more", "a")));
    timeline.apply({ ev: "message.deleted", n: 5, messages: ["a", "more"] });
    assert.deepEqual(shown(timeline), ["q", "b"]);
    assert.deepEqual(timeline.messages.get("b").siblings, []);
    timeline.prepend([answer("a", "q")]);
    assert.deepEqual(timeline.siblingsOf("b"), ["b"]);
});

test("a visible branch that was never loaded is requested", () => {
    const timeline = adopted([answer("b", "q", { siblings: ["a", "b"] })]);
    const deletion = { ev: "message.deleted", n: 3, messages: ["b"] };
    assert.equal(timeline.apply(deletion).resync, "snapshot");
    const far = adopted([answer("z", "y")]);
    const cut = { ev: "message.deleted", n: 3, messages: ["x", "y", "z"] };
    assert.equal(far.apply(cut).resync, "snapshot");
});

test("a continuation begins with the text of the answer it continues", () => {
    const timeline = begun();
    timeline.apply(created(3, answer("b", "q", { text: "Green", continues: "a" })));
    timeline.apply({ ev: "message.delta", message: "b", run: "r", at: 5, to: 9, text: " tea" });
    assert.equal(timeline.messages.get("b").text, "Green tea");
});

test("ratings are added, changed and removed", () => {
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

test("only an answer that ended early can be continued", () => {
    const cut = (fields) => new Message(answer("a", "q", { text: "x", ...fields })).isCutShort;
    assert.equal(cut({ state: "complete", finish: "stop" }), false);
    assert.equal(cut({ state: "complete", finish: "length" }), true);
    assert.equal(cut({ state: "stopped", finish: "stopped" }), true);
    assert.equal(cut({ state: "failed", finish: "error" }), true);
    assert.equal(cut({ state: "stopped", finish: "stopped", text: "" }), false);
});

test("a branch continues from the selected message to the newest replies", () => {
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
