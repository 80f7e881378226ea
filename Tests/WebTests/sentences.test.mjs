// The server's sentences: a text for each code of docs/reference/sentences.md, with its values.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";

import { detailOf, foundOf } from "../../Web/js/administration/format.js";
import { languages, useLanguage } from "../../Web/js/language.js";
import { actionOf, checkNameOf, reasonOf, sentenceOf } from "../../Web/js/sentences.js";
import { fetchFiguresOf, importReportOf } from "../../Web/js/wording.js";
import en from "../../Web/languages/en.js";

const page = readFileSync(new URL("../../docs/reference/sentences.md", import.meta.url), "utf8");
const groups = {
    Imports: "import", Models: "model", Findings: "found", Advice: "advice", Areas: "area",
    Checks: "check", Actions: "action",
};

/** The codes of a section, with their sentences. */
function rowsOf(heading) {
    const section = page.split("\n## ").find((part) => part.startsWith(`${heading}\n`));
    return [...section.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)]
        .map(([, code, sentence]) => [code.replaceAll(/[ .]/g, "-"), sentence]);
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

test("what the doctor finds has its durations in the user's language", async () => {
    const late = ["it expired 21 days ago", { code: "certificate_expired", values: { span: "1814400.0" } }];
    await useLanguage(languages.en, "en");
    assert.equal(foundOf(...late), "it expired 21 days ago");
    assert.equal(foundOf("fsync on"), "fsync on");
    await useLanguage(languages.el, "el");
    assert.equal(foundOf(...late), "έληξε πριν από 21 ημέρες");
    assert.equal(foundOf("fsync on"), "fsync on");
    assert.equal(foundOf("new", { code: "new_code", values: { span: "1" } }), "new");
});

test("actions of the audit log are said in words, unknown ones as they are", async () => {
    await useLanguage(languages.en, "en");
    assert.equal(actionOf("user.made_administrator"), "user made an administrator");
    await useLanguage(languages.tr, "tr");
    assert.equal(actionOf("run.stopped"), "yanıt durduruldu");
    assert.equal(actionOf("moon.landed"), "moon.landed");
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
