// Offsets of partial texts: the protocol's rules on `at` and `to`.

import assert from "node:assert/strict";
import { test } from "node:test";

import { GrowingText } from "../../Web/js/growing-text.js";
import { indexOfByte, utf8Length } from "../../Web/js/utf8.js";

const samples = ["", "plain", "Grüße", "世界", "🙂", "a🙂b", "👩‍👩‍👧", "e\u0301", "\u07ff\u0800\uffff"];

test("lengths match those of TextEncoder", () => {
    for (const text of [...samples, "\ud800", "a\udc00b"]) {
        assert.equal(utf8Length(text), new TextEncoder().encode(text).length, text);
    }
});

test("an index exists for each byte at which a character ends, and for no other", () => {
    for (const text of samples) {
        const ends = new Map([[0, 0]]);
        let bytes = 0;
        let index = 0;
        for (const character of text) {
            bytes += new TextEncoder().encode(character).length;
            index += character.length;
            ends.set(bytes, index);
        }
        for (let byte = 0; byte <= bytes + 1; byte += 1) {
            assert.equal(indexOfByte(text, byte), ends.get(byte) ?? null, `${text} at ${byte}`);
        }
    }
});

function grown(deltas) {
    const growth = new GrowingText();
    const fitted = deltas.map(([at, to, text, run = "r"]) => growth.append({ run, at, to, text }));
    return [fitted, growth];
}

test("consecutive deltas are appended", () => {
    const [fitted, growth] = grown([[0, 3, "Grx"], [3, 5, "ü"], [5, 9, "🙂"]]);
    assert.deepEqual(fitted, [true, true, true]);
    assert.equal(growth.text, "Grxü🙂");
    assert.equal(growth.byteCount, 9);
});

test("known text is skipped", () => {
    const [fitted, growth] = grown([[0, 5, "aübc"], [1, 7, "übcde"], [0, 3, "aü"]]);
    assert.deepEqual(fitted, [true, true, true]);
    assert.equal(growth.text, "aübcde");
});

test("a gap, a wrong length and an overlap inside a character are refused", () => {
    const refused = [[[5, 6, "x"]], [[0, 4, "abc"]], [[0, 1, "a"], [0, 3, "€"]]];
    for (const deltas of refused) {
        const [fitted] = grown(deltas);
        assert.equal(fitted.at(-1), false, JSON.stringify(deltas));
    }
});

test("another run starts at 0 and replaces the text", () => {
    const [fitted, growth] = grown([[0, 3, "old", "r1"], [3, 4, "!", "r2"], [0, 3, "new", "r2"]]);
    assert.deepEqual(fitted, [true, false, true]);
    assert.equal(growth.text, "new");
});

test("a text is cut at a character boundary", () => {
    const growth = new GrowingText("aü🙂b", "r");
    assert.equal(growth.cut(5), false);
    assert.equal(growth.cut(7), true);
    assert.equal(growth.text, "aü🙂");
    assert.equal(growth.cut(8), false);
});
