// The catalogues of Web/languages: complete, used, with the placeholders and plural forms that they need;
// and no text of the page anywhere else.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { errorCodes } from "../../Web/js/error-texts.js";
import { languages, text, useLanguage } from "../../Web/js/language.js";
import en from "../../Web/languages/en.js";
import { pseudoCatalogue } from "../../Web/languages/pseudo.js";

const pseudo = pseudoCatalogue(en);
const web = new URL("../../Web/", import.meta.url);
const read = (name) => readFileSync(new URL(name, web), "utf8");
const scripts = readdirSync(new URL("js/", web), { recursive: true })
    .filter((name) => name.endsWith(".js")).map((name) => [name, read(`js/${name}`)]);
const pages = readdirSync(web).filter((name) => name.endsWith(".html"))
    .map((name) => [name, read(name)]);

const catalogues = await Promise.all(Object.entries(languages).map(
    async ([name, { load }]) => [name, (await load()).default]));
const translations = catalogues.filter(([name]) => name !== "en");

/** Languages whose nouns stay the same after numbers: one form may serve all. */
const withoutPlurals = new Set(["bn", "ms", "tr"]);

/** Texts that are the same in a language as in English: names, units, signs, and loanwords. */
const sameEverywhere = /^[\P{L}]*$|^(?:\P{L}|\{\w+\}|GB|MB|kB|h|min|s|Phi|Stoa|JSON|Markdown|ShareGPT|OpenAI|Top-p|TB|PostgreSQL|phi-4-mini)*$/u;

function formsOf(entry) {
    return typeof entry === "string" ? [entry] : Object.values(entry);
}

function namesIn(entry) {
    return [...new Set(formsOf(entry).flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort();
}

/** The names that every form must have: "one" may leave the number out, since it is known. */
function neededNames(entry) {
    return namesIn(entry).filter((name) => name !== "{count}");
}

function isOrdinal(key) {
    return namesIn(en[key]).includes("{ordinal}");
}

test("keys stand in groups with a comment, and are sorted within a group", () => {
    for (const [name] of catalogues) {
        let keys = [];
        for (const line of read(`languages/${name}.js`).split("export default {")[1].split("\n")) {
            if (/^ {4}\/\/ /.test(line)) keys = [];
            const [, key] = /^ {4}"([^"]+)":/.exec(line) ?? [];
            if (!key) continue;
            assert.ok(keys.length === 0 || keys.at(-1) < key, `${name}: ${key} is not in order`);
            keys.push(key);
        }
    }
});

test("each text that the page asks for exists", () => {
    for (const [name, source] of scripts) {
        for (const [, key] of source.matchAll(/\b(?:text|worded|textParts)\("([^"]+)"/g)) {
            assert.ok(key in en, `${name}: ${key}`);
        }
    }
    for (const [name, source] of pages) {
        for (const [, key] of source.matchAll(/\bdata-text(?:-\w+)?="([^"]+)"/g)) {
            assert.ok(key in en, `${name}: ${key}`);
        }
    }
    for (const code of errorCodes) assert.ok(`error.${code}` in en, code);
});

test("each text is used", () => {
    const code = [...scripts, ...pages].map(([, source]) => source).join("\n");
    const literals = new Set([...code.matchAll(/"([^"\n]*)"/g)].map(([, literal]) => literal));
    // Keys that are put together, such as `error.${code}`.
    const patterns = [...code.matchAll(/\b(?:text|worded)\(\s*`([^`]+)`/g)].map(([, template]) =>
        new RegExp(`^${template.split(/\$\{[^}]+\}/).map(escaped).join("[\\w-]+")}$`));
    for (const key of Object.keys(en)) {
        const isUsed = literals.has(key) || patterns.some((pattern) => pattern.test(key));
        assert.ok(isUsed, `${key} is not used`);
    }
});

test("the error codes are those of docs/reference/errors.md", () => {
    const table = readFileSync(new URL("../docs/reference/errors.md", web), "utf8")
        .split("## WebSocket")[0];
    const documented = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
    assert.deepEqual([...errorCodes].sort(), documented.sort());
});

test("each language has all texts, and no others", () => {
    for (const [name, catalogue] of [...translations, ["pseudo", pseudo]]) {
        const missing = Object.keys(en).filter((key) => !(key in catalogue));
        const unknown = Object.keys(catalogue).filter((key) => !(key in en));
        assert.deepEqual({ name, missing, unknown }, { name, missing: [], unknown: [] });
    }
});

test("texts are translated", () => {
    for (const [name, catalogue] of translations) {
        const same = Object.keys(en).filter((key) => {
            const english = formsOf(en[key]);
            const maySame = (form) => sameEverywhere.test(form) || isLoanword(name, key);
            return formsOf(catalogue[key]).some(
                (form) => form.trim() === "" || (english.includes(form) && !maySame(form)));
        });
        assert.deepEqual({ name, same }, { name, same: [] });
    }
});

test("translations have the placeholders of the English text", () => {
    for (const [name, catalogue] of [...translations, ["pseudo", pseudo]]) {
        for (const key of Object.keys(en)) {
            assert.deepEqual(namesIn(catalogue[key]), namesIn(en[key]), `${name}: ${key}`);
            for (const form of formsOf(catalogue[key])) {
                assert.deepEqual(neededNames(form), neededNames(en[key]), `${name}: ${key}`);
            }
        }
    }
});

test("each text can be shown, whatever the number", async () => {
    for (const [name, language] of Object.entries(languages)) {
        await useLanguage(language, name);
        for (const key of Object.keys(en)) {
            for (const number of [0, 1, 2, 3, 5, 21, 1_000]) {
                const values = Object.fromEntries(
                    namesIn(en[key]).map((value) => [value.slice(1, -1), "x"]));
                if (typeof en[key] !== "string") values[isOrdinal(key) ? "ordinal" : "count"] = number;
                assert.doesNotMatch(text(key, values), /[{}]/, `${name}: ${key}`);
            }
        }
    }
    await useLanguage(languages.en, "en");
});

test("plural and ordinal forms are complete for the language", () => {
    for (const [name, catalogue] of catalogues) {
        for (const [key, entry] of Object.entries(catalogue)) {
            if (typeof en[key] === "string") {
                assert.equal(typeof entry, "string", `${name}: ${key} has no forms in English`);
                continue;
            }
            const type = isOrdinal(key) ? "ordinal" : "cardinal";
            const { pluralCategories } = new Intl.PluralRules(name, { type }).resolvedOptions();
            if (typeof entry === "string") {
                const mayBeOne = pluralCategories.length === 1 || isOrdinal(key)
                    || withoutPlurals.has(name);
                assert.ok(mayBeOne, `${name}: ${key} needs plural forms`);
                continue;
            }
            assert.deepEqual(
                Object.keys(entry).sort(), [...pluralCategories].sort(), `${name}: ${key}`);
        }
    }
});

/** Where code gives a text to the page. */
const shown = [
    /(?:setText|setAttribute|showToast|say)\([^;]*?(["`])((?:(?!\1)[^\\])*?)\1/g,
    /(?:"aria-label"|title|placeholder|alt|heading|agree|label|note|sentence|message): (["`])((?:(?!\1).)*?)\1/g,
    /\.(?:textContent|title|placeholder|ariaLabel|innerText) = (["`])((?:(?!\1).)*?)\1/g,
    /\[\s*(["`])((?:(?!\1).)*?)\1\s*\]/g,
];

/** What is no language: names of the product and of keys, and values of attributes. */
const allowed = new Set([
    "Stoa", "Phi", "Phi-4-mini", "Phi-3.5-mini", "Ctrl", "Alt", "ArrowDown", "ArrowUp", "aria-label",
    "Dockerfile dockerfile docker",
]);

test("code has no text of the page", () => {
    for (const [name, source] of scripts.filter(([file]) => !file.startsWith("libraries/"))) {
        const code = source.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, "");
        for (const pattern of shown) {
            for (const [, , literal] of code.matchAll(pattern)) {
                const words = literal.replaceAll(/\$\{[^}]*\}/g, "").replace("·", "").trim();
                const isText = !(words in en)
                    && (/\p{Lu}\p{Ll}/u.test(words) || /\p{L} +\p{L}/u.test(words));
                assert.ok(!isText || allowed.has(words) || isAttributeValue(words),
                    `${name}: “${literal}” belongs to Web/languages`);
            }
        }
        // Sentences anywhere, except in errors of the program.
        const sentences = code.replaceAll(/new (?:\w*Error)\([^;]*;/g, "")
            .matchAll(/(["`])(\p{Lu}\p{Ll}*(?:'\p{Ll}+)? (?:(?!\1)[^\n])*[.…?!]|\p{Lu}\p{Ll}+ \p{Ll}[^"`\n]*)\1/gu);
        for (const [, , sentence] of sentences) {
            assert.ok(allowed.has(sentence), `${name}: “${sentence}” belongs to Web/languages`);
        }
    }
});

test("pages have no text but the product's name", () => {
    for (const [name, source] of pages) {
        const html = source.replaceAll(/<!--.*?-->|<noscript>.*?<\/noscript>/gs, "");
        for (const [, words] of html.matchAll(/>([^<]*\p{L}[^<]*)</gu)) {
            assert.equal(words.trim(), "Stoa", `${name}: “${words.trim()}” needs data-text`);
        }
        for (const [, attribute, value] of html.matchAll(
            /\s(aria-label|title|placeholder|alt)="([^"]+)"/g)) {
            assert.fail(`${name}: ${attribute}="${value}" needs data-text-…`);
        }
    }
});

test("style sheets have no left and right, so that languages from right to left work", () => {
    // What a Markdown table or a formula aligns is the author's; menus are placed by their coordinates.
    const physical = /(?:^|[\s;{-])(?:left|right)(?:\s*:|-|\s*[;}])/;
    const sides = /(?:padding|margin|inset): [^\s;]+ ([^\s;]+) [^\s;]+ ([^\s;]+);/;
    for (const name of readdirSync(new URL("css/", web))) {
        for (const line of read(`css/${name}`).split("\n")) {
            if (/align-(?:left|right)|transform-origin|left-out/.test(line)) continue;
            assert.doesNotMatch(line, physical, name);
            const [, right, left] = sides.exec(line) ?? [];
            assert.equal(right, left, `${name}: ${line.trim()}: write …-block and …-inline`);
        }
    }
});

/** Words that a language takes from English as they are, for a good reason, by key. */
function isLoanword(name, key) {
    return loanwords[name]?.includes(key) ?? false;
}

/** What keyboards print, in the languages whose keyboards print it in English. */
const keys = ["key.backspace", "key.delete", "key.enter", "key.escape", "key.shift"];

/** The word "model" is the same in Malay and in Turkish. */
const model = ["administration.model", "model.label", "model.title"];

const loanwords = {
    bn: keys,
    el: [...keys, "administration.usage.bar", "usage.tokens"],
    fi: [...keys, "administration.usage.bar", "usage.tokens"],
    ms: [...keys, ...model, "administration.usage.bar", "folders.folder", "usage.tokens"],
    tr: [...keys, ...model, "administration.usage.bar", "usage.tokens"],
};

function isAttributeValue(words) {
    // Lists of CSS classes, link types and roles.
    return /^[a-z][a-z-]*(?: [a-z][a-z-]*)+$/.test(words) && classes.has(words);
}

const classes = new Set(scripts.flatMap(([, source]) =>
    [...source.matchAll(/(?:class|className|rel|"rel"): "([^"]+)"/g)].map(([, value]) => value)));

function escaped(text) {
    return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
