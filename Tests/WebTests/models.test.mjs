// The server's models as kept by the page, and the texts about them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { estimateOf, fitOf, machineTextOf, memoryOf, warningOf } from "../../Web/js/machine-memory.js";
import { ModelNeeds } from "../../Web/js/model-needs.js";
import { actionsOf, Models } from "../../Web/js/models.js";
import { Timeline } from "../../Web/js/timeline.js";
import { activityOf, fetchFiguresOf, modelStateOf, thinkingOf } from "../../Web/js/wording.js";

/** A connection that replies as a test sets, and records requests. */
class FakeConnection extends EventTarget {
    asked = [];

    request(op, fields) {
        this.asked.push({ op, ...fields });
        return Promise.resolve({ model: { name: fields?.name, state: "fetching" } });
    }

    welcome(models) {
        this.dispatchEvent(new CustomEvent("welcome", { detail: { models } }));
    }

    emit(event) {
        this.dispatchEvent(new CustomEvent("event", { detail: event }));
    }
}

function begun() {
    const connection = new FakeConnection();
    const models = new Models(connection);
    connection.welcome([
        { name: "demo", state: "ready", default: true }, { name: "big", state: "loading" },
    ]);
    return { connection, models };
}

test("events keep the list up to date", () => {
    const { connection, models } = begun();
    let changes = 0;
    models.addEventListener("changed", () => {
        changes += 1;
    });
    connection.emit({ ev: "model.changed", model: { name: "big", state: "failed" } });
    connection.emit({ ev: "model.changed", model: { name: "new", state: "fetching" } });
    assert.deepEqual(models.all.map(({ state }) => state), ["ready", "failed", "fetching"]);
    assert.deepEqual(models.choosable.map(({ name }) => name), ["demo"]);
    connection.emit({ ev: "model.removed", name: "new" });
    assert.equal(models.get("new"), null);
    assert.equal(changes, 3);
});

test("a conversation whose model was removed uses the default", () => {
    const { models } = begun();
    assert.equal(models.answering({ model: "big" }).name, "big");
    assert.equal(models.answering({ model: "gone" }).name, "demo");
    assert.equal(models.answering(null).name, "demo");
});

test("a conversation whose model is unloaded is answered by the default", () => {
    const { connection, models } = begun();
    for (const state of ["unloading", "unloaded"]) {
        connection.emit({ ev: "model.changed", model: { name: "big", state } });
        assert.equal(models.answering({ model: "big" }).name, "demo");
        assert.deepEqual(models.choosable.map(({ name }) => name), ["demo"]);
    }
});

test("loading, unloading and the default are requested, and one model is the default", async () => {
    const { connection, models } = begun();
    await models.load("big");
    await models.unload("big");
    await models.makeDefault("big");
    assert.deepEqual(connection.asked.map(({ op }) => op), [
        "model.load", "model.unload", "model.default"]);
    connection.emit({ ev: "model.changed", model: { name: "big", state: "ready", default: true } });
    assert.deepEqual(models.all.map((model) => Boolean(model.default)), [false, true]);
    assert.equal(models.default.name, "big");
});

test("the default stays loaded; the others can be loaded, unloaded, and made the default", () => {
    const rows = [
        [{ state: "ready", default: true }, []],
        [{ state: "ready" }, ["makeDefault", "unload"]],
        [{ state: "loading" }, ["makeDefault", "unload"]],
        [{ state: "unloading" }, ["load"]],
        [{ state: "unloaded" }, ["load"]],
        [{ state: "failed" }, ["load", "unload"]],
        [{ state: "failed", default: true }, ["load"]],
        [{ state: "fetching" }, []],
    ];
    for (const [model, actions] of rows) {
        assert.deepEqual(actionsOf(model), actions, JSON.stringify(model));
    }
});

test("what a model needs is compared with the memory of the server's machine", () => {
    const machine = { total_bytes: 8e9, available_bytes: 3e9 };
    assert.deepEqual([2.7, 3.8, 9.1].map((size) => fitOf(size, machine)), ["fits", "tight", "over"]);
    assert.equal(fitOf(2.7, null), null);
    assert.equal(machineTextOf(null), "");
    assert.match(machineTextOf(machine), /8 GB of memory; 3 GB of it are free/);
    assert.equal(warningOf(2.7, machine), "");
    assert.match(warningOf(3.8, machine), /free now/);
    assert.match(memoryOf(" Phi-4 ", machine).note, /phi-4 needs about 9.1 GB of memory\. This/);
    assert.match(memoryOf("phi-4", machine).warning, /more than this machine has/);
    assert.deepEqual(memoryOf("org/name", null), { note: "", warning: "" });
});

test("the server's estimate says that it is one, or why there is none", () => {
    const machine = { total_bytes: 8e9, available_bytes: 3e9 };
    const estimate = { download_bytes: 4.1e9, memory_bytes: 4.6e9 };
    const { note, warning } = estimateOf({ name: "org/phi", estimate }, machine);
    assert.match(note, /^By an estimate .*org\/phi needs 4\.6 GB of memory .*download of 4\.1 GB\. This/);
    assert.match(warning, /free now/);
    assert.deepEqual(estimateOf({ name: "org/phi", reason: "no such model" }, null), {
        note: "What org/phi needs is not known: no such model", warning: "",
    });
});

test("the hub is asked about a full name once it stays the same, and not again", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const asked = [];
    const input = Object.assign(new EventTarget(), { value: "" });
    const [note, warning] = [{ textContent: "" }, { textContent: "" }];
    const models = {
        estimate: (name) => {
            asked.push(name);
            return Promise.resolve({ name, estimate: { download_bytes: 1e9, memory_bytes: 2e9 } });
        },
    };
    const needs = new ModelNeeds(models, { input, note, warning });
    const type = (value) => {
        input.value = value;
        input.dispatchEvent(new Event("input"));
    };
    type("phi-4-mini");
    assert.match(note.textContent, /needs about 2\.7 GB/);
    type("org/ph");
    type("org/phi");
    assert.equal(note.textContent, "");
    context.mock.timers.tick(1_000);
    assert.match(note.textContent, /^Asking the hub what org\/phi needs/);
    await Promise.resolve();
    await Promise.resolve();
    assert.match(note.textContent, /org\/phi needs 2 GB/);
    type("");
    assert.equal(note.textContent, "");
    type("org/phi");
    assert.match(note.textContent, /org\/phi needs 2 GB/);
    needs.offer({ names: ["phi-3-mini"], memory: { total_bytes: 1e9, available_bytes: 1e9 } });
    assert.match(warning.textContent, /more than this machine has/);
    type("phi-3");
    context.mock.timers.tick(1_000);
    assert.deepEqual(asked, ["org/phi"]);
    type("phi-3-mini");
    context.mock.timers.tick(1_000);
    assert.deepEqual(asked, ["org/phi", "phi-3-mini"]);
});

test("a model that is being fetched is listed before its first event", async () => {
    const { connection, models } = begun();
    await models.pull("phi-4-mini");
    assert.deepEqual(connection.asked, [{ op: "model.pull", name: "phi-4-mini" }]);
    assert.equal(models.get("phi-4-mini").state, "fetching");
});

test("progress figures are shown as far as they are known", () => {
    const fetch = {
        done_bytes: 1.25e9, total_bytes: 2.3e9, bytes_per_second: 35e6, seconds_left: 240,
    };
    const figures = fetchFiguresOf({ fetch });
    assert.match(figures, /1.3 GB of 2.3 GB · 35 MB\/s · 4 min left/);
    assert.equal(fetchFiguresOf({ fetch: { done_bytes: 0, total_bytes: 0, note: "x" } }), "x");
    assert.equal(fetchFiguresOf({}), "");
    assert.equal(modelStateOf({ state: "loading", progress: 0.419 }), "loading, 41 %");
});

test("a model's limit of thinking is shown where the server has one", () => {
    assert.equal(thinkingOf({}), "");
    assert.equal(thinkingOf({ max_thinking_tokens: 0 }), "answers without thinking");
    assert.equal(thinkingOf({ max_thinking_tokens: 2000 }), "longest thinking, in tokens: 2,000");
});

test("a queued answer names the model that it waits for, until that is ready", () => {
    const timeline = new Timeline("c");
    const time = "2026-01-01T00:00:00.000Z";
    const answer = { id: "a", role: "assistant", text: "", state: "queued", created_at: time };
    timeline.adopt({
        n: 1,
        snapshot: { conversation: { id: "c", members: [] }, messages: [answer], more: false },
    });
    const queued = { ev: "message.queued", conversation: "c", message: "a", position: 1 };
    timeline.apply({ ...queued, model: { name: "big", state: "loading", progress: 0.4 } });
    assert.equal(activityOf(timeline.messages.get("a")), "big is loading, 40 %");
    timeline.apply(queued);
    assert.equal(activityOf(timeline.messages.get("a")), "Next in line");
    timeline.apply({ ...queued, position: 3, eta: 11.4 });
    assert.equal(activityOf(timeline.messages.get("a")), "3rd in line, about 12 s");
    timeline.apply({ ...queued, position: 12, eta: 300 });
    assert.equal(activityOf(timeline.messages.get("a")), "12th in line, about 5 min");
});
