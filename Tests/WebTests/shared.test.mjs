// Read-only links: their address, and the branch that a reader sees.

import assert from "node:assert/strict";
import { test } from "node:test";

import { sharedAddress, sharedTokenOf } from "../../Web/js/address.js";
import { SharedBranch } from "../../Web/js/shared-branch.js";
import { exactTimeWithin } from "../../Web/js/wording.js";
import { shareNoteOf } from "../../Web/js/views/share-dialog.js";

const question = { id: "q", role: "user", author: "ann", text: "Tea?", state: "complete" };
const answer = (state, text = "") => ({ id: "a", role: "assistant", text, state });

function branchWith(messages, growing = []) {
    const branch = new SharedBranch();
    branch.adopt({ page: { title: "Tea", messages, more: false }, growing });
    return branch;
}

function texts(branch) {
    return branch.messages.map(({ text }) => text);
}

test("a link's token stays in the fragment of the address", () => {
    const address = sharedAddress("9d1c", { origin: "https://chat.example", pathname: "/" });
    assert.equal(address, "https://chat.example/#shared=9d1c");
    assert.equal(sharedTokenOf(new URL(address).hash), "9d1c");
    assert.equal(sharedTokenOf("#conversation=1"), null);
});

test("a running answer shows its text so far, grows, and ends with the stored text", () => {
    const growing = [{ message: "a", run: "r", at: 0, to: 3, text: "Yes" }];
    const branch = branchWith([question, answer("streaming")], growing);
    assert.deepEqual(texts(branch), ["Tea?", "Yes"]);
    const delta = { ev: "message.delta", message: "a", run: "r", at: 3, to: 4, text: "," };
    assert.ok(branch.apply(delta));
    assert.deepEqual(texts(branch), ["Tea?", "Yes,"]);
    const ended = answer("complete", "Yes, green.");
    assert.ok(branch.apply({ ev: "share.changed", title: "Tea", messages: [ended] }));
    assert.deepEqual(texts(branch), ["Tea?", "Yes, green."]);
});

test("a gap in a text asks for another watch; text of other branches is ignored", () => {
    const branch = branchWith([question, answer("streaming")]);
    const gap = { ev: "message.delta", message: "a", run: "r", at: 9, to: 10, text: "x" };
    assert.equal(branch.apply(gap), false);
    assert.equal(branch.apply({ ...gap, message: "elsewhere" }), true);
});

test("another branch removes what is not on it, and adds its own messages", () => {
    const branch = branchWith([question, answer("complete", "Yes.")]);
    const other = { ...answer("complete", "No."), id: "b" };
    branch.apply({ ev: "share.changed", title: "No tea", messages: [other], removed: ["a"] });
    assert.deepEqual(branch.messages.map(({ id }) => id), ["q", "b"]);
    assert.equal(branch.title, "No tea");
});

test("older pages come first", () => {
    const branch = branchWith([answer("complete", "Yes.")]);
    assert.equal(branch.oldest, "a");
    branch.prepend({ messages: [question], more: true });
    assert.deepEqual(branch.messages.map(({ id }) => id), ["q", "a"]);
    assert.equal(branch.oldest, "q");
    assert.ok(branch.hasMore);
});

test("another reply keeps the older pages of the same branch, and forgets those of another", () => {
    const branch = branchWith([answer("complete", "Yes.")]);
    branch.prepend({ messages: [question], more: false });
    const page = { title: "Tea", messages: [answer("complete", "Yes.")], more: true };
    branch.adopt({ page, growing: [] });
    assert.deepEqual(branch.messages.map(({ id }) => id), ["q", "a"]);
    assert.equal(branch.hasMore, false);
    const other = { ...answer("complete", "No."), id: "b" };
    branch.adopt({ page: { ...page, messages: [other] }, growing: [] });
    assert.deepEqual(branch.messages.map(({ id }) => id), ["b"]);
    assert.equal(branch.hasMore, true);
    branch.adopt({ page: { ...page, messages: [], more: false }, growing: [] });
    assert.deepEqual(branch.messages, []);
});

test("a snapshot says when it was made, to the minute", () => {
    const branch = branchWith([question]);
    assert.equal(branch.asOf, null);
    const made = "2026-11-20T12:30:00.000Z";
    branch.adopt({
        page: { title: "Tea", messages: [question], more: false, as_of: made }, growing: [],
    });
    assert.equal(branch.asOf, made);
    assert.match(exactTimeWithin(made, new Date("2026-11-24T09:00:00Z")), /2026.*\d:\d\d/);
});

test("a link's note says what it shows", () => {
    const share = { created_by: { name: "ann" }, created_at: "2026-11-20T12:30:00.000Z" };
    assert.match(shareNoteOf({ ...share, kind: "live" }), /^Live, the newest branch · /);
    assert.match(shareNoteOf({ ...share, kind: "live", leaf: "q" }), /^Live, one branch · /);
    assert.match(shareNoteOf({ ...share, kind: "snapshot", leaf: "q" }), /^As it was then · .*ann/);
});
