// The administration's addresses, figures and charts.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
    detailOf, limitIn, limitOf, sizeOf, spanOf, timeIn, useOf,
} from "../../Web/js/administration/format.js";
import { conversationIn } from "../../Web/js/administration/conversation-id.js";
import { addressOf, placeOf } from "../../Web/js/administration/place.js";
import {
    barsOf, dayAfter, daysBetween, namedOf, sumsByDay, sumsByUser, ticksOf, totalOf,
} from "../../Web/js/administration/usage-figures.js";

test("an address names a section, one of its objects, and filters", () => {
    assert.equal(placeOf("#conversation=1"), null);
    assert.equal(placeOf("#administrations/users"), null);
    assert.deepEqual(placeOf("#administration"), { section: "overview", id: null, filters: {} });
    assert.deepEqual(
        placeOf("#administration/users/ann%20%2F%20%3Fb"),
        { section: "users", id: "ann / ?b", filters: {} });
    assert.deepEqual(
        placeOf("#administration/audit?actor=ann&team="),
        { section: "audit", id: null, filters: { actor: "ann", team: "" } });
    assert.equal(placeOf("#administration/nonsense").section, "overview");
    assert.equal(placeOf("#administration/users/%E0%A4%A").id, null);
});

test("an address leads back to the place that it was made of", () => {
    for (const id of ["ann", "a/b?c#d%", "Ünal Ö", "="]) {
        assert.equal(placeOf(addressOf("users", id)).id, id);
    }
    assert.equal(addressOf("audit", null, { actor: "", action: "" }), "#administration/audit");
    const filters = { actor: "a&b=c", from: "2026-11-22T09:30" };
    assert.deepEqual(placeOf(addressOf("audit", null, filters)).filters, filters);
});

test("limits are whole numbers of tokens, or none", () => {
    assert.equal(limitIn(" "), null);
    assert.equal(limitIn("0"), 0);
    assert.equal(limitIn("50000"), 50000);
    for (const wrong of ["-1", "1.5", "many", "9007199254740993"]) {
        assert.throws(() => limitIn(wrong), /whole number of tokens/);
    }
    assert.equal(limitOf(undefined), "none");
    assert.equal(limitOf(0), "0");
});

test("use names the limit, and counts what is reserved", () => {
    assert.equal(useOf({ used: 1000, reserved: 200, limit: 50000 }), "1,200 of 50,000 tokens");
    assert.equal(useOf({ used: 0, limit: 0 }), "0 of 0 tokens");
    assert.equal(useOf({ used: 31000 }), "31,000 tokens, no limit");
});

test("spans and sizes have the unit that fits", () => {
    assert.deepEqual(
        [1, 90, 7199, 7200, 172_800].map(spanOf),
        ["1 second", "90 seconds", "120 minutes", "2 hours", "2 days"]);
    assert.deepEqual([1500, 5e6, 2.5e9, 1e12].map(sizeOf), ["1.5 kB", "5 MB", "2.5 GB", "1 TB"]);
});

test("the details of an entry are one line, in a fixed order", () => {
    assert.equal(detailOf({ user: "bob", new_role: "admin" }), "new role: admin, user: bob");
    assert.equal(detailOf(undefined), "");
});

test("a field of local time becomes the same moment in UTC", () => {
    assert.equal(timeIn(""), undefined);
    assert.equal(timeIn("nonsense"), undefined);
    const time = timeIn("2026-11-22T09:30");
    assert.equal(new Date(time).getHours(), 9);
    assert.match(time, /Z$/);
});

test("days without use are part of a range, also across the end of a month", () => {
    assert.deepEqual(daysBetween("2026-02-27", "2026-03-01"), ["2026-02-27", "2026-02-28", "2026-03-01"]);
    assert.deepEqual(daysBetween("2026-03-02", "2026-03-01"), []);
    assert.deepEqual(daysBetween("2000-01-01", "2026-03-01", 2), ["2026-02-28", "2026-03-01"]);
    assert.equal(dayAfter("2026-12-31T23:59:59.999Z", 1), "2027-01-01");
});

const entries = [
    { day: "2026-11-21", user: "a", name: "ann", used: 10, answers: 1 },
    { day: "2026-11-21", user: "b", name: "bob", used: 50, answers: 2 },
    { day: "2026-11-23", user: "a", name: "ann", used: 5, answers: 1 },
    { day: "2026-11-23", used: 7, answers: 1 },
    { day: "2026-11-23", user: "c", used: 1, answers: 1 },
];

test("use is summed by day and by user, the heaviest first", () => {
    assert.deepEqual(
        sumsByDay(entries, daysBetween("2026-11-21", "2026-11-23")).map(({ used }) => used),
        [60, 0, 13]);
    const users = sumsByUser(entries);
    assert.deepEqual(users.map(({ user, used }) => [user, used]), [
        ["b", 50], ["a", 15], [null, 7], ["c", 1],
    ]);
    assert.deepEqual(totalOf(users), { used: 73, answers: 6 });
});

test("a chart's lines have round values and reach the highest bar", () => {
    assert.deepEqual(ticksOf(0), [0, 1]);
    assert.deepEqual(ticksOf(3), [0, 1, 2, 3]);
    assert.deepEqual(ticksOf(100), [0, 25, 50, 75, 100]);
    assert.deepEqual(ticksOf(72_000), [0, 20_000, 40_000, 60_000, 80_000]);
    for (const most of [1, 7, 99, 12_345, 1e9 + 1]) {
        const ticks = ticksOf(most);
        assert.ok(ticks.at(-1) >= most, `${most}`);
        assert.ok(ticks.length >= 2 && ticks.length <= 6, `${most}`);
    }
});

test("bars fill the chart from left to right, and little use is seen, too", () => {
    const bars = barsOf([0, 50, 100, 0.001], 100, { width: 40, height: 200 });
    assert.deepEqual(bars.map(({ height }) => height), [0, 100, 200, 1]);
    for (const { x, y, width, height } of bars) {
        assert.ok(x >= 0 && x + width <= 40);
        assert.equal(y + height, 200);
    }
    assert.deepEqual(barsOf([], 1, { width: 40, height: 200 }), []);
    assert.deepEqual(namedOf(3, 6), [0, 1, 2]);
    assert.deepEqual(namedOf(30, 6), [0, 5, 10, 15, 20, 25]);
});

test("a conversation is found by its id or its address", () => {
    const id = "0190f3b2-7a10-7c3e-9d51-2f6a8d1c0b7e";
    assert.equal(conversationIn(`https://chat.example.org/#conversation=${id.toUpperCase()}`), id);
    assert.equal(conversationIn("0190f3b2"), null);
});
