// Sending and reconnecting: the outbox keeps unacknowledged messages, backoff grows and has jitter,
// screen readers get sentences.

import assert from "node:assert/strict";
import { test } from "node:test";

import { endOfSentences } from "../../Web/js/announcer.js";
import { RequestError } from "../../Web/js/backend.js";
import { Outbox } from "../../Web/js/outbox.js";
import { adviceOf, delayBefore } from "../../Web/js/reconnect.js";

/** A connection whose replies the test gives. */
class StubConnection extends EventTarget {
    state = "live";
    requests = [];

    request(op, fields) {
        return new Promise((resolve, reject) => {
            this.requests.push({ op, fields, resolve, reject });
        });
    }

    lose() {
        this.state = "waiting";
        for (const { reject } of this.requests) {
            reject(new RequestError({ code: "unreachable", message: "" }));
        }
    }

    comeBack() {
        this.state = "live";
        this.dispatchEvent(new CustomEvent("welcome", { detail: {} }));
    }
}

function settled() {
    return new Promise((resolve) => {
        setImmediate(resolve);
    });
}

function started() {
    const connection = new StubConnection();
    const allowances = { take() {}, refused() {} };
    return { connection, outbox: new Outbox(connection, { id: "u" }, allowances) };
}

const acknowledged = { message: { id: "m" }, answer: { id: "a" }, n: 4 };

test("a message whose reply was lost is sent again with the same key", async () => {
    const { connection, outbox } = started();
    outbox.add("c", "hello");
    await settled();
    connection.lose();
    await settled();
    assert.equal(outbox.itemsOf("c")[0].state, "waiting");
    connection.comeBack();
    await settled();
    const [first, second] = connection.requests;
    assert.deepEqual(second.fields, first.fields);
    assert.match(first.fields.key, /^[0-9a-f]{32}$/);
    second.resolve(acknowledged);
    await settled();
    assert.equal(outbox.itemsOf("c")[0].state, "sent");
});

test("messages are sent one after the other, in the order of writing", async () => {
    const { connection, outbox } = started();
    outbox.add("c", "one");
    outbox.add("c", "two");
    await settled();
    assert.deepEqual(connection.requests.map(({ fields }) => fields.text), ["one"]);
    connection.requests[0].resolve(acknowledged);
    await settled();
    assert.deepEqual(connection.requests.map(({ fields }) => fields.text), ["one", "two"]);
});

test("first messages create a single conversation", async () => {
    const { connection, outbox } = started();
    outbox.add(null, "one");
    outbox.add(null, "two");
    await settled();
    assert.equal(connection.requests[0].op, "conversation.create");
    connection.requests[0].resolve({ conversation: { id: "c" } });
    await settled();
    assert.deepEqual(outbox.itemsOf("c").map(({ text }) => text), ["one", "two"]);
    assert.equal(connection.requests[1].fields.conversation, "c");
});

test("a refused message is kept and shown as such, and the next one is sent", async () => {
    const { connection, outbox } = started();
    outbox.add("c", "too long");
    outbox.add("c", "short");
    await settled();
    const refusal = new RequestError({ code: "context_exceeded", message: "Too long." });
    connection.requests[0].reject(refusal);
    await settled();
    assert.equal(outbox.itemsOf("c")[0].failure.message, "Too long.");
    assert.equal(connection.requests[1].fields.text, "short");
    outbox.discard(outbox.itemsOf("c")[0].key);
    assert.equal(outbox.itemsOf("c").length, 1);
});

test("an item stands for its message until a timeline has it", async () => {
    const { connection, outbox } = started();
    outbox.add("c", "hello");
    await settled();
    connection.requests[0].resolve(acknowledged);
    await settled();
    outbox.settle({ id: "c", n: 3, messages: new Map() });
    assert.equal(outbox.itemsOf("c").length, 1);
    outbox.settle({ id: "c", n: 3, messages: new Map([["m", {}]]) });
    assert.equal(outbox.itemsOf("c").length, 0);
});

test("a close code determines whether to reconnect", () => {
    const expected = { 1000: "reconnect", 1001: "reconnect", 1006: "reconnect", 1012: "reconnect",
        4000: "reconnect", 4099: "reconnect", 4100: "sign-in", 4199: "sign-in", 4200: "stay-away",
        1003: "stay-away", 1009: "stay-away" };
    for (const [code, advice] of Object.entries(expected)) {
        assert.equal(adviceOf(Number(code)), advice, code);
    }
});

test("the delay grows to a limit, and half of it is random", () => {
    assert.equal(delayBefore(0, () => 0), 200);
    assert.equal(delayBefore(0, () => 1), 400);
    assert.ok(delayBefore(3, () => 0) > delayBefore(2, () => 0));
    assert.equal(delayBefore(50, () => 1), 20_000);
});

test("sentences end with their punctuation, and lines are sentences", () => {
    assert.equal(endOfSentences("One. Two", 0), 5);
    assert.equal(endOfSentences("One. Two! (Three?) four", 5), 19);
    assert.equal(endOfSentences("3.14 is", 0), 0);
    assert.equal(endOfSentences("a\nb", 0), 2);
});
