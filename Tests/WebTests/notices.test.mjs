// When notices are given.

import assert from "node:assert/strict";
import { test } from "node:test";

import { excerptOf, noticeOf } from "../../Web/js/notices.js";

const hidden = { isAway: true, isHidden: true, isAwaited: true };

test("a mention is noticed once, while the user looks elsewhere", () => {
    const after = { mentions: 1, unread: 1 };
    assert.equal(noticeOf({}, after, hidden), "mention");
    assert.equal(noticeOf(undefined, after, { ...hidden, isHidden: false }), "mention");
    assert.equal(noticeOf(after, after, hidden), null);
    assert.equal(noticeOf({}, after, { isAway: false, isHidden: false, isAwaited: true }), null);
});

test("an answer is noticed when the last one has ended, while the page is hidden", () => {
    const running = { running: 1 };
    assert.equal(noticeOf(running, {}, hidden), "answer");
    assert.equal(noticeOf({ running: 2 }, running, hidden), null);
    assert.equal(noticeOf({}, running, hidden), null);
    assert.equal(noticeOf(running, {}, { ...hidden, isHidden: false }), null);
});

test("an answer that began and ended between two changes is noticed", () => {
    assert.equal(noticeOf({ n: 4 }, { n: 7 }, hidden), "answer");
    assert.equal(noticeOf({ n: 4 }, { n: 5 }, hidden), null);
    assert.equal(noticeOf({ n: 4 }, { n: 7, running: 1 }, hidden), null);
    assert.equal(noticeOf({ n: 4 }, { n: 7 }, { ...hidden, isHidden: false }), null);
    // A row that comes into the list.
    assert.equal(noticeOf(undefined, { n: 7 }, hidden), null);
});

test("answers to others are not noticed", () => {
    assert.equal(noticeOf({ running: 1 }, {}, { ...hidden, isAwaited: false }), null);
});

test("an excerpt is one line, cut between characters", () => {
    assert.equal(excerptOf("  Two\n\nlines "), "Two lines");
    assert.equal(excerptOf("🙂".repeat(9), 5), "🙂🙂🙂🙂…");
});
