// The texts about an answer's receipt.

import assert from "node:assert/strict";
import test from "node:test";

import { Message } from "../../Web/js/message.js";
import { givenOf } from "../../Web/js/receipt.js";
import { omissionOf, promptNameOf } from "../../Web/js/wording.js";

const receipt = {
    version: 2,
    policy: "summarize",
    system_prompt: { scope: "conversation", version: 3 },
    entries: [
        { tokens: 8 }, { summary: "s", tokens: 40 }, { message: "q", tokens: 12 },
        { message: "gone", tokens: 20 },
    ],
    scaffold_tokens: 1,
    prompt_tokens: 81,
    cached_tokens: 48,
    left_out: { first: "a", last: "b", count: 4 },
    summarized: { summary: "s", through: "z", count: 30, tokens: 40 },
    dropped_messages: 4,
};

test("each part is shown with its tokens, and omissions in their position", () => {
    const question = { role: "user", author: { name: "ann" }, text: `Why?\n\n${"x".repeat(200)}` };
    const { lead, rows } = givenOf(receipt, (id) => (id === "q" ? question : undefined));
    assert.equal(lead, "81 tokens in all, of which 48 were known already.");
    assert.deepEqual(
        rows.map(({ kind }) => kind),
        ["system-prompt", "summary", "left-out", "message", "message", "scaffold"]);
    assert.equal(rows[0].text, "version 3 of this conversation's own");
    assert.equal(rows[1].text, "of the first 30 messages");
    assert.match(rows[2].text, /^4 messages/u);
    assert.equal(rows[3].name, "ann");
    assert.match(rows[3].text, /^Why\? x+…$/u);
    assert.deepEqual(rows.map(({ tokens }) => tokens), ["8", "40", "–", "12", "20", "1"]);
});

test("receipts of version 1 are shown, too", () => {
    const old = { version: 1, entries: [{ tokens: 5 }], prompt_tokens: 6, dropped_messages: 0 };
    const { lead, rows } = givenOf(old, () => undefined);
    assert.equal(lead, "6 tokens in all, of which 0 were known already.");
    assert.deepEqual(rows.map(({ kind, text }) => [kind, text]), [["system-prompt", ""]]);
});

test("an answer shows what was left out and what was summarized", () => {
    const answer = (fields) => new Message({ id: "m", role: "assistant", state: "complete", ...fields });
    assert.equal(omissionOf(answer({})), "");
    assert.equal(omissionOf(answer({ dropped_messages: 1 })), "1 earlier message left out");
    assert.equal(
        omissionOf(answer({ dropped_messages: 2, summarized_messages: 8 })),
        "8 earlier messages summarized, 2 earlier messages left out");
});

test("a system prompt's version is named with its owner", () => {
    assert.equal(promptNameOf({ scope: "server", version: 2 }), "version 2 of the server's");
    assert.equal(promptNameOf(undefined), "");
});
