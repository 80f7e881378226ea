// Direction overrides: removed from text, visible in code.

import assert from "node:assert/strict";
import { test } from "node:test";

import { withoutMarks, withVisibleMarks } from "../../Web/js/direction.js";
import { initials } from "../../Web/js/wording.js";

const marks = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];

test("text is shown without direction overrides", () => {
    assert.equal(withoutMarks("\u202egnp.exe"), "gnp.exe");
    for (const mark of marks) {
        assert.equal(withoutMarks(`a${String.fromCodePoint(mark)}b`), "ab");
    }
    // Letters of both directions, and marks that only set the direction of neutral characters, are
    // kept.
    for (const text of ["", "plain", "שלום world", "a\u200fb\u200e", "\u2029\u202f\u2065\u206a"]) {
        assert.equal(withoutMarks(text), text);
    }
});

test("direction overrides are visible in code", () => {
    assert.equal(withVisibleMarks("if (a\u202e \u2066// b"), "if (a‹U+202E› ‹U+2066›// b");
});

test("initials are letters", () => {
    assert.equal(initials("\u202egnp"), "G");
    assert.equal(initials("ann \u2067lee"), "AL");
});
