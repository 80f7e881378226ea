// The search request of the filters, and the texts about results.

import assert from "node:assert/strict";
import { test } from "node:test";

import { filterCountOf, searchFieldsOf } from "../../Web/js/search-fields.js";
import { filtersLabelOf, rowDetailOf, speakerOf } from "../../Web/js/wording.js";

const none = { author: "", where: "", from: "", to: "", conversation: "c" };

test("without filters only the words are sent, and without words nothing", () => {
    assert.deepEqual(searchFieldsOf({ ...none, query: " green tea " }), { query: "green tea" });
    assert.equal(searchFieldsOf({ ...none, query: "  ", author: "ada" }), null);
});

test("days are in the user's time zone, the last one included", () => {
    const fields = searchFieldsOf({ ...none, query: "tea", from: "2026-03-28", to: "2026-03-31" });
    assert.equal(fields.from, new Date(2026, 2, 28).toISOString());
    assert.equal(fields.to, new Date(2026, 3, 1).toISOString());
});

test("the scope is everything, the open conversation or a team", () => {
    const at = (where, more = {}) => searchFieldsOf({ ...none, query: "tea", where, ...more });
    assert.deepEqual(at("conversation"), { query: "tea", conversation: "c" });
    assert.deepEqual(at("conversation", { conversation: null }), { query: "tea" });
    assert.deepEqual(at("t", { author: " ada " }), { query: "tea", author: "ada", team: "t" });
});

test("active filters are counted", () => {
    assert.equal(filterCountOf(none), 0);
    const set = { ...none, author: "ada", from: "2026-03-28" };
    assert.equal(filtersLabelOf(filterCountOf(set)), "Filters, 2 set");
    assert.equal(filtersLabelOf(0), "Filters");
});

test("a result names its speaker, and a row its team", () => {
    assert.equal(speakerOf({ role: "user", author: { name: "ada" } }), "ada:");
    assert.equal(speakerOf({ role: "assistant" }), "Phi:");
    assert.equal(speakerOf({}), "");
    const team = { name: "Bakers" };
    assert.equal(rowDetailOf({ team, names: ["bo", "cy"] }), "Bakers · with bo, cy");
    assert.equal(rowDetailOf({ team: null, names: [] }), "");
});
