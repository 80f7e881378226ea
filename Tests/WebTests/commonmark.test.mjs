// The examples of CommonMark 0.31.2 and of GitHub's extensions: each becomes the structure that the
// specification shows, but for raw HTML, which is text here.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import "../WebTestSupport/packages.mjs";

const { parseMarkdown } = await import("../../Web/js/markdown/parser.js");
const { treeOf } = await import("../../Web/js/markdown/tree.js");
const { comparable, referenceAddresses, referenceTree }
    = await import("../WebTestSupport/reference-tree.mjs");

function examples(name) {
    return JSON.parse(readFileSync(new URL(`../WebTestSupport/${name}`, import.meta.url), "utf8"));
}

/** The addresses of links and images in tokens, also those that the page does not show as links. */
function addresses(tokens) {
    return tokens.flatMap((token) => {
        const own = token.attrGet?.("href") ?? token.attrGet?.("src");
        const inner = token.type === "image" ? [] : addresses(token.children ?? []);
        return own === null || own === undefined ? inner : [own, ...inner];
    });
}

const commonMark = examples("commonmark-0.31.2.json");
// GitHub's bare addresses are links here, which CommonMark leaves as text.
const bareAddresses = new Set([602, 608, 611, 612]);

/** Whether a tag of the HTML stands in the Markdown as it is. */
function hasRawHTML({ section, markdown, html }) {
    return section === "HTML blocks" || section === "Raw HTML"
        || [...html.matchAll(/<[^>]+>/g)].some(([tag]) => markdown.includes(tag));
}

test("the examples of CommonMark have its structure", async (context) => {
    const compared = commonMark.filter((one) => !hasRawHTML(one) && !bareAddresses.has(one.example));
    context.diagnostic(`${compared.length} of ${commonMark.length} examples are compared`);
    for (const { example, section, markdown, html } of compared) {
        await context.test(`${example}: ${section}`, () => {
            const tokens = parseMarkdown(markdown);
            assert.deepEqual(comparable(treeOf(tokens)), referenceTree(html), markdown);
            assert.deepEqual(addresses(tokens), referenceAddresses(html), markdown);
        });
    }
});

test("the examples of GitHub's extensions have its structure", async (context) => {
    for (const { example, section, markdown, html } of examples("gfm-0.29.json")) {
        await context.test(`${example}: ${section}`, () => {
            assert.deepEqual(comparable(treeOf(parseMarkdown(markdown))), referenceTree(html), markdown);
        });
    }
});
