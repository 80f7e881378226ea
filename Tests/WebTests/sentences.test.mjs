// The server's sentences: a text for each code of docs/reference/sentences.md, with its values.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";

import { detailOf } from "../../Web/js/administration/format.js";
import { languages, useLanguage } from "../../Web/js/language.js";
import { checkNameOf, reasonOf, sentenceOf } from "../../Web/js/sentences.js";
import { fetchFiguresOf, importReportOf } from "../../Web/js/wording.js";
import en from "../../Web/languages/en.js";

const page = readFileSync(new URL("../../docs/reference/sentences.md", import.meta.url), "utf8");
const groups = {
    Imports: "import", Models: "model", Advice: "advice", Areas: "area", Checks: "check",
};

/** The codes of a section, with their sentences. */
function rowsOf(heading) {
    const section = page.split("\n## ").find((part) => part.startsWith(`${heading}\n`));
    return [...section.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)]
        .map(([, code, sentence]) => [code.replaceAll(" ", "-"), sentence]);
}

const namesIn = (sentence) => [...new Set(sentence.match(/\{\w+\}/g) ?? [])].sort();

after(() => useLanguage(languages.en, "en"));

test("each code of the server has a text with its values, and no text is of another code", () => {
    for (const [heading, group] of Object.entries(groups)) {
        const rows = rowsOf(heading);
        assert.ok(rows.length > 5, heading);
        for (const [code, sentence] of rows) {
            const key = `sentence.${group}.${code}`;
            assert.ok(key in en, `${key}: the page has no text for it`);
            assert.deepEqual(namesIn(en[key]), namesIn(sentence), key);
        }
        const keys = Object.keys(en).filter((key) => key.startsWith(`sentence.${group}.`));
        assert.equal(keys.length, rows.length, heading);
    }
});

test("English shows the server's sentence, another language its own", async () => {
    const check = [
        "advice", "chmod 600 /key", { code: "close_key", values: { file: "/key" } },
    ];
    await useLanguage(languages.en, "en");
    assert.equal(sentenceOf(...check), "chmod 600 /key");
    await useLanguage(languages.fi, "fi");
    assert.equal(sentenceOf(...check), "aja chmod 600 /key");
    assert.equal(sentenceOf("advice", "do it", { code: "new_code" }), "do it");
    assert.equal(sentenceOf("advice", "do it"), "do it");
    assert.equal(checkNameOf({ area: "database", name: "dead rows" }), "tietokanta: kuolleet rivit");
    assert.equal(checkNameOf({ area: "moon", name: "dust" }), "moon: dust");
});

test("models, downloads, imports and the audit log speak the user's language", async () => {
    await useLanguage(languages.fi, "fi");
    assert.equal(reasonOf({}), undefined);
    assert.equal(
        reasonOf({ reason: "the hub rejects it", reason_code: { code: "bad_token" } }),
        "Keskus hylkää avaimen: tarkista HF_TOKEN tai avaintiedosto.");
    assert.match(
        fetchFiguresOf({ fetch: {
            done_bytes: 0, total_bytes: 0, note: "checking", note_code: { code: "checking" },
        } }), /tarkistetaan, mitä on jo olemassa/);
    const lines = importReportOf({
        skipped: { reasons: { "it is too large: 64 levels": 2 }, codes: { too_large: 2 } },
    }, false);
    assert.ok(lines.includes("Jätetty pois: 2 (se on liian suuri)"), lines.join("\n"));
    assert.equal(
        detailOf({ role: "admin", before: "viewer", monthly: "none", name: "none", new_one: "x" }),
        "aiemmin: lukija, kuussa: ei rajaa, name: none, new one: x, rooli: ylläpitäjä"
            .replace("name: none", "nimi: none"));
});
