// Presence and typing, as kept by the page.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Presence, writersOf } from "../../Web/js/presence.js";

const ann = { id: "1", name: "ann" };
const bo = { id: "2", name: "bo" };
const cy = { id: "3", name: "cy" };

function presence() {
    return new Presence(ann);
}

const comes = (user) => ({ ev: "presence.changed", user, online: true });
const goes = (user) => ({ ev: "presence.changed", user, online: false });
const types = (user) => ({ ev: "typing", user, seconds: 5 });

test("others come and go; the user itself is not included", () => {
    const company = presence();
    for (const user of [cy, bo, ann, bo]) company.apply(comes(user), 0);
    assert.deepEqual(company.here, [bo, cy]);
    company.apply(goes(bo), 0);
    assert.deepEqual(company.here, [cy]);
    company.apply({ ev: "member.changed", user: cy }, 0);
    assert.deepEqual(company.here, []);
});

test("typing lasts for the announced seconds, from the last announcement", () => {
    const company = presence();
    company.apply(types(bo), 1_000);
    company.apply(types(ann), 1_000);
    assert.deepEqual(company.writing(5_999), [bo]);
    assert.equal(company.nextEnd(1_000), 6_000);
    assert.deepEqual(company.writing(6_000), []);
    assert.equal(company.nextEnd(6_000), null);
    company.apply(types(bo), 4_000);
    assert.deepEqual(company.writing(8_999), [bo]);
});

test("typing ends when the message is sent or the user leaves", () => {
    const company = presence();
    company.apply(types(bo), 0);
    company.apply(types(cy), 0);
    assert.equal(company.apply({ ev: "message.created", message: { author: bo } }, 1), true);
    assert.deepEqual(company.writing(1), [cy]);
    assert.equal(company.apply({ ev: "message.created", message: {} }, 1), false);
    company.apply(goes(cy), 1);
    assert.deepEqual(company.writing(1), []);
});

test("users who are typing are named, or counted if there are many", () => {
    assert.equal(writersOf([]), "");
    assert.equal(writersOf(["Ann"]), "Ann is writing…");
    assert.equal(writersOf(["Ann", "Bo"]), "Ann and Bo are writing…");
    assert.equal(writersOf(["Ann", "Bo", "Cy"]), "Ann, Bo and Cy are writing…");
    assert.equal(writersOf(["Ann", "Bo", "Cy", "Dee"]), "Ann, Bo and 2 more are writing…");
});
