// Texts of the page by key.

import assert from "node:assert/strict";
import { test } from "node:test";

import en from "../../Web/languages/en.js";
import { text } from "../../Web/js/language.js";

test("a text replaces the names in braces, without marks that change the direction", () => {
    en["test.greeting"] = "Hello {name}";
    assert.equal(text("test.greeting", { name: "Ann\u202e" }), "Hello Ann");
});

test("a count chooses the plural form, and is formatted", () => {
    en["test.tokens"] = { one: "{count} token", other: "{count} tokens" };
    assert.equal(text("test.tokens", { count: 1 }), "1 token");
    assert.equal(text("test.tokens", { count: 1200 }), "1,200 tokens");
});

test("an unknown key and a missing value are errors", () => {
    en["test.missing"] = "{name}";
    assert.throws(() => text("test.unknown"), /no text for test\.unknown/);
    assert.throws(() => text("test.missing"), /needs a value for name/);
});
