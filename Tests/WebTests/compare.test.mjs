// What differs between two versions of a text.

import assert from "node:assert/strict";
import { test } from "node:test";

import { differenceOf } from "../../Web/js/text-difference.js";

/** The texts with brackets around what differs. */
function marked(left, right) {
    return differenceOf(left, right).map((parts) =>
        parts.map(({ text, differs }) => (differs ? `[${text}]` : text)).join(""));
}

test("words that the other text lacks are marked, in both", () => {
    assert.deepEqual(marked("Tea is a hot drink.", "Tea is a cold drink."), [
        "Tea is a [hot] drink.", "Tea is a [cold] drink."]);
    assert.deepEqual(marked("Green tea", "Green leaf tea"), ["Green tea", "Green [leaf ]tea"]);
});

test("words in a row are marked as one, over the spaces between them", () => {
    assert.deepEqual(marked("one two three four", "one zwei drei four"), [
        "one [two three] four", "one [zwei drei] four"]);
});

test("equal texts have no differences, and empty ones have no parts", () => {
    assert.deepEqual(differenceOf("same", "same"), [
        [{ text: "same", differs: false }], [{ text: "same", differs: false }]]);
    assert.deepEqual(differenceOf("", "new"), [[], [{ text: "new", differs: true }]]);
});

test("the parts together are the text, whatever it contains", () => {
    const texts = ["Grüße, 世界! 🙂\n\n- a\n- b", "Gruß 世 🙂🙂\n- b\n```x = 1```", "   ", "a\u0301 b"];
    for (const left of texts) {
        for (const right of texts) {
            const whole = differenceOf(left, right).map((parts) =>
                parts.map(({ text }) => text).join(""));
            assert.deepEqual(whole, [left, right]);
        }
    }
});

test("long texts are compared by lines, and longer ones not at all, in bounded time", () => {
    const lines = (word, count) => Array.from({ length: count }, (_, at) => `${word} ${at % 97} x\n`);
    const left = lines("one", 1_500);
    const right = left.with(700, "changed\n").toReversed().toReversed().with(0, "new\n").with(1_499, "end\n");
    const [parts] = differenceOf(left.join(""), right.join(""));
    assert.ok(parts.some(({ differs }) => !differs));
    const [whole] = differenceOf(lines("one", 5_000).join(""), lines("two", 5_000).join(""));
    assert.ok(whole.length === 1 && whole[0].differs);
});
