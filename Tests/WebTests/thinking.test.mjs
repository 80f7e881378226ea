// The thinking part of an answer: what it is, and what the page says of it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { answerOf, partsOf } from "../../Web/js/thinking.js";

/** The same rows as Tests/ThinkingTextTests. */
const rows = [
    ["", null, "", false],
    ["Hello", null, "Hello", false],
    ["<think>a</think>b", "a", "b", false],
    ["<think>\na\n</think>\n\n b ", "\na\n", "b ", false],
    ["<think>a", "a", "", true],
    ["<think>", "", "", true],
    ["<think></think>", "", "", false],
    ["<think>a</think> \n", "a", "", false],
    ["<thin", null, "<thin", false],
    ["<thinking>a</thinking>", null, "<thinking>a</thinking>", false],
    [" <think>a</think>", null, " <think>a</think>", false],
    ["<think>a</thi", "a</thi", "", true],
    ["<think>a < b </ <</think>b", "a < b </ <", "b", false],
    ["<think>a<think>b</think>c", "a<think>b", "c", false],
    ["<think>a</think>b</think>c", "a", "b</think>c", false],
    ["<think>é😀</think>ö<", "é😀", "ö<", false],
];

test("an answer's thinking part is what stands between the tags at its beginning", () => {
    for (const [text, thinking, answer, isOpen] of rows) {
        assert.deepEqual(partsOf(text), { thinking, answer, isOpen }, text);
    }
});

test("while an answer grows, no part of a tag is shown, and what is shown stays", () => {
    for (const [text] of rows) {
        const whole = partsOf(text);
        for (let end = 0; end <= text.length; end += 1) {
            const { thinking, answer } = partsOf(text.slice(0, end), true);
            assert.ok((whole.thinking ?? "").startsWith(thinking ?? ""), text);
            assert.ok(whole.answer.startsWith(answer), `${text} ${end}`);
        }
    }
});

test("only answers have a thinking part", () => {
    const text = "<think>a</think>b";
    assert.equal(answerOf({ role: "assistant", text }), "b");
    assert.equal(answerOf({ role: "user", text }), text);
});
