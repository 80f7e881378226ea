// The remaining tokens, and the texts about them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Allowances, allowanceOf, isLow, refusalOf } from "../../Web/js/allowance.js";

const noon = new Date(2026, 4, 3, 12);
const midnight = new Date(2026, 4, 4).toISOString();
const nextMonth = new Date(2026, 5, 1).toISOString();
const day = { used: 1_000, reserved: 50, limit: 50_000, resets_at: midnight };
const month = { used: 9_000, reserved: 50, resets_at: nextMonth };

/** A connection whose reply to `usage.get` the test sets. */
class StubConnection extends EventTarget {
    usage = { day, month };
    asked = 0;

    async request() {
        this.asked += 1;
        return this.usage;
    }

    emit(event) {
        this.dispatchEvent(new CustomEvent("event", { detail: event }));
    }
}

async function started(usage) {
    const connection = new StubConnection();
    if (usage) connection.usage = usage;
    const allowances = new Allowances(connection);
    connection.dispatchEvent(new CustomEvent("welcome", { detail: {} }));
    await new Promise((resolve) => {
        setImmediate(resolve);
    });
    return { connection, allowances };
}

/** Stops the timers, which would keep the test running. */
function stopTimers(context) {
    context.mock.timers.enable({ apis: ["setTimeout", "Date"], now: noon });
}

test("without a limit nothing is shown and nothing more is requested", async (context) => {
    stopTimers(context);
    const { connection, allowances } = await started({ day: { ...day, limit: undefined }, month });
    assert.equal(allowances.nearest("c"), null);
    connection.emit({ ev: "message.completed", conversation: "c", message: "a" });
    assert.equal(connection.asked, 1);
});

test("of several limits the nearest one counts", async (context) => {
    stopTimers(context);
    const { connection, allowances } = await started({ day, month: { ...month, limit: 10_000 } });
    assert.equal(allowances.nearest("c").period, "month");
    const allowance = {
        holder: "team", period: "day", limit: 900, used: 100, reserved: 60, resets_at: midnight,
    };
    allowances.take("c", { answer: { id: "a" }, allowance });
    assert.equal(allowances.nearest("c").holder, "team");
    assert.equal(allowances.nearest("d").holder, "user");
    // The charge of the answer is counted once, at its end.
    const end = { ev: "message.completed", conversation: "c", message: "a" };
    for (let time = 0; time < 2; time += 1) connection.emit({ ...end, usage: { charged_tokens: 40 } });
    assert.equal(allowances.nearest("c").used, 140);
    assert.equal(allowances.nearest("c", Date.parse(nextMonth)), null);
});

test("the rest is shown with its period, and if it is low, with its reset time", () => {
    const own = { holder: "user", period: "day", ...day };
    assert.match(allowanceOf(own, noon), /^49.000 of 50.000 tokens left today$/);
    const team = { ...own, holder: "team", period: "month" };
    assert.match(allowanceOf(team, noon), /^49.000 of 50.000 tokens left for the team this month$/);
    const low = { ...own, used: 45_001 };
    assert.equal(isLow(own), false);
    assert.equal(isLow(low), true);
    assert.match(allowanceOf(low, noon), /^4.?999 of 50.000 tokens left today\. More tomorrow .+\.$/);
    const none = { ...team, used: 50_001, resets_at: nextMonth };
    assert.match(allowanceOf(none, noon), /^All 50.000 tokens are used for the team this month\. More on .+\.$/);
});

test("a token limit's refusal says when it is possible again, or that it never is", () => {
    const refusal = { code: "budget_exceeded", message: "…", possibleAt: midnight };
    assert.match(refusalOf(refusal, noon), /^Too few tokens .* You can ask again tomorrow .+\.$/);
    assert.match(refusalOf({ ...refusal, possibleAt: null }, noon), /more tokens than the whole limit/);
    assert.equal(refusalOf({ code: "limit_exceeded", message: "Too long." }, noon), "Too long.");
});
