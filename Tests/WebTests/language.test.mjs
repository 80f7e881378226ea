// Texts of the page by key.

import assert from "node:assert/strict";
import { test } from "node:test";

import en from "../../Web/languages/en.js";
import { errorText } from "../../Web/js/error-texts.js";
import {
    chosenLanguage, enumerated, isEnglish, listed, tagFor, text, textParts, useLanguage,
} from "../../Web/js/language.js";
import { pseudoText } from "../../Web/languages/pseudo.js";

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

test("an ordinal chooses its form", () => {
    en["test.place"] = {
        one: "{ordinal}st", two: "{ordinal}nd", few: "{ordinal}rd", other: "{ordinal}th",
    };
    const places = [1, 2, 3, 4, 11, 12, 23].map((ordinal) => text("test.place", { ordinal }));
    assert.deepEqual(places, ["1st", "2nd", "3rd", "4th", "11th", "12th", "23rd"]);
});

test("a node takes the place of its name in a text", () => {
    en["test.sentence"] = "In {team}, with {name}.";
    const node = { dataset: {} };
    assert.deepEqual(
        textParts("test.sentence", { team: node, name: "Ann" }), ["In ", node, ", with ", "Ann", "."]);
});

test("names are listed as in a sentence, or one after the other", () => {
    assert.equal(listed(["Ann", "Bo", "Cy"]), "Ann, Bo and Cy");
    assert.equal(enumerated(["Ann", "Bo", "Cy"]), "Ann, Bo, Cy");
});

test("the stored choice comes before the browser's languages, and English is the last resort", () => {
    assert.equal(chosenLanguage("en", ["xx"]), "en");
    assert.equal(chosenLanguage("removed", ["xx-YY", "en-GB"]), "en");
    assert.equal(chosenLanguage("", []), "en");
    assert.equal(chosenLanguage("constructor", ["toString"]), "en");
    assert.equal(tagFor("en", ["xx", "en-GB", "en-US"]), "en-GB");
    assert.equal(tagFor("en", ["xx"]), "en");
});

test("the pseudo language keeps the names in braces", () => {
    assert.equal(pseudoText("a {name} b"), "[à {name} ƀ····]");
});

test("a server's error has its message in English, and elsewhere the sentence of its code", async () => {
    const full = { code: "limit_exceeded", message: "the title has more than 500 characters" };
    const plain = { code: "busy", message: "too many runs are queued" };
    assert.equal(errorText(full), full.message);
    assert.equal(errorText({ code: "busy" }), en["error.busy"]);
    const other = { ...en, "error.limit_exceeded": "Zu viel.", "error.busy": "Besetzt." };
    await useLanguage({ load: () => ({ default: other }) }, "de");
    assert.equal(isEnglish(), false);
    assert.equal(errorText(full), `Zu viel. (${full.message})`);
    assert.equal(errorText(plain), "Besetzt.");
    assert.equal(errorText({ code: "new_code", message: "news" }), "news");
    assert.equal(text("test.tokens", { count: 1234.5 }), "1.234,5 tokens");
    await useLanguage({ load: () => ({ default: en }) }, "en");
});
