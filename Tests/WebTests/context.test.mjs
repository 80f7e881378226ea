// The estimate of the context before sending, and the rule for passwords.

import assert from "node:assert/strict";
import { test } from "node:test";

import { contextEstimate } from "../../Web/js/context-estimate.js";
import { isPasswordLong } from "../../Web/js/password-rule.js";

const question = (text) => ({ role: "user", text });
const answer = (text, prompt, completion, more = {}) => ({
    role: "assistant", text, usage: { prompt_tokens: prompt, completion_tokens: completion }, ...more,
});
const conversation = (messages, draft = "", more = {}) => contextEstimate({
    messages, isWhole: true, draft, contextLength: 2048, maxTokens: undefined, ...more,
});

test("the count of the last answer is the start, and the draft is added", () => {
    const messages = [question("a".repeat(400)), answer("b".repeat(400), 160, 40)];
    assert.equal(conversation(messages).used, 200);
    // 200 tokens for 800 bytes: a quarter of a token a byte, and what the template adds.
    assert.equal(conversation(messages, "c".repeat(80)).used, 225);
});

test("the answer has its longest length of the context, at most half", () => {
    assert.equal(conversation([], "Hello").limit, 1024);
    assert.equal(conversation([], "Hello", { maxTokens: 100 }).limit, 1948);
    assert.equal(conversation([], "Hello", { contextLength: 128_000 }).limit, 126_976);
});

test("what would be left out is whole turns from the beginning", () => {
    const turn = [question("a".repeat(400)), answer("b".repeat(400), 0, 0)];
    const messages = [...turn, ...turn, ...turn.slice(0, 1), answer("b".repeat(400), 900, 100)];
    assert.equal(conversation(messages, "c").leftOut, 0);
    assert.equal(conversation(messages, "c".repeat(100)).leftOut, 2);
    assert.equal(conversation(messages, "c".repeat(1400)).leftOut, 4);
});

test("of a conversation that was shortened or is not loaded, no number is claimed", () => {
    const messages = [question("a"), answer("b", 1000, 100, { droppedMessages: 4 })];
    assert.equal(conversation(messages, "c").leftOut, null);
    assert.equal(conversation(messages, "c").wasShortened, true);
    assert.equal(conversation([question("a"), answer("b", 1000, 100)], "c", { isWhole: false }).leftOut,
        null);
});

test("a draft that does not fit alone is told apart", () => {
    assert.equal(conversation([], "word ".repeat(1000)).isDraftTooLong, true);
    assert.equal(conversation([], "word").isDraftTooLong, false);
});

test("nothing is shown of an empty conversation, or without the model's length", () => {
    assert.equal(conversation([]), null);
    assert.equal(conversation([], "Hello", { contextLength: undefined }), null);
});

test("a password has 8 to 1024 characters, whatever their bytes", () => {
    assert.equal(isPasswordLong("1234567"), false);
    assert.equal(isPasswordLong("12345678"), true);
    assert.equal(isPasswordLong("ääääääää"), true);
    assert.equal(isPasswordLong("🦉🦉🦉"), false);
    assert.equal(isPasswordLong("🦉".repeat(1024)), true);
    assert.equal(isPasswordLong("a".repeat(1025)), false);
});
