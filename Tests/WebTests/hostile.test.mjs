// Texts that attack a page: nothing but allowed elements and attributes comes out of them, links lead to
// allowed addresses, and each is drawn in bounded time.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import "../WebTestSupport/document.mjs";
import "../WebTestSupport/packages.mjs";

const { katex } = await import("../../Web/js/libraries/katex.js");
const { Prism } = await import("../../Web/js/libraries/prism.js");
const { fileNameOf } = await import("../../Web/js/markdown/code-languages.js");
const { MarkdownDocument } = await import("../../Web/js/markdown/document.js");
const { canHighlight, highlighted } = await import("../../Web/js/markdown/highlighting.js");
const { mathTree } = await import("../../Web/js/markdown/math-tree.js");
const { safeAddress } = await import("../../Web/js/markdown/links.js");
const { showMarkdown } = await import("../../Web/js/markdown/view.js");

const corpus = JSON.parse(readFileSync(new URL("../WebTestSupport/hostile.json", import.meta.url), "utf8"))
    .map((one) => [one].flat().map((part) => typeof part === "string" ? part : part[0].repeat(part[1])).join(""));
/** A single text may take this long on the processor. */
const millisecondsMax = 4_000;
/** Milliseconds that this process has used: other tests run at the same time. */
const used = () => (process.cpuUsage().user + process.cpuUsage().system) / 1_000;

const elements = new Set(["a", "blockquote", "br", "button", "code", "del", "div", "em", "h3", "h4", "h5", "h6",
    "hr", "input", "li", "ol", "p", "pre", "span", "strong", "sup", "table", "tbody", "td", "th", "thead", "tr",
    "ul"]);
const attributes = new Set(["aria-expanded", "aria-label", "aria-pressed", "checked", "class", "data-note",
    "data-note-back", "data-note-text", "dir", "disabled", "hidden", "href", "rel", "role", "start", "tabindex",
    "target", "title", "type"]);
const mathElements = new Set(["math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msup", "msub", "msubsup",
    "mover", "munder", "munderover", "mfrac", "mroot", "msqrt", "mtable", "mtr", "mtd", "mstyle", "mpadded",
    "mphantom"]);

function partsOf(nodes) {
    return nodes.flatMap((node) => node.part ? [node] : partsOf(node.children ?? []));
}

function assertMath(node) {
    if (typeof node === "string") return;
    assert.ok(mathElements.has(node.name), node.name);
    for (const [name, value] of Object.entries(node.attributes)) {
        assert.doesNotMatch(name, /^(?:on|href|src|style|id)/);
        assert.doesNotMatch(value, /url|:|script|[<>]/i);
        const [, length] = /^([+-]?[\d.]+)(?:em|ex|px|pt)$/.exec(value) ?? [];
        if (length !== undefined) assert.ok(Math.abs(length) <= 40, value);
    }
    node.children.forEach(assertMath);
}

test("the corpus has 200 texts and more", () => assert.ok(new Set(corpus).size >= 200));

test("only allowed elements, attributes and addresses are made, in bounded time", { timeout: 120_000 }, () => {
    for (const text of corpus) {
        const name = JSON.stringify(text.slice(0, 80));
        const container = document.createElement("div");
        const start = used();
        showMarkdown(container, text);
        assert.ok(used() - start < millisecondsMax, `${name} took ${used() - start} ms`);
        for (const node of container.descendants) {
            assert.ok(elements.has(node.localName), `${node.localName} of ${name}`);
            for (const { name: attribute, value } of node.attributes) {
                assert.ok(attributes.has(attribute), `${attribute} of ${name}`);
                if (attribute === "href") assert.equal(safeAddress(value), value, name);
                if (attribute === "class") assert.match(value, /^[a-z -]*$/, name);
            }
        }
        assert.doesNotMatch(container.textContent, /[\u202A-\u202E\u2066-\u2069]/, name);
    }
});

test("formulas become allowed MathML or stay text, in bounded time", { timeout: 120_000 }, () => {
    for (const text of corpus) {
        for (const formula of partsOf(new MarkdownDocument().nodes(text)).filter(({ part }) => part === "formula")) {
            const start = used();
            const tree = mathTree(katex, formula);
            assert.ok(used() - start < millisecondsMax, formula.text.slice(0, 80));
            if (tree) assertMath(tree);
        }
    }
});

test("code keeps its text when it is coloured, in bounded time", { timeout: 120_000 }, () => {
    const textOf = (nodes) => nodes.map((node) => typeof node === "string" ? node : textOf(node.children)).join("");
    for (const text of corpus) {
        for (const code of partsOf(new MarkdownDocument().nodes(text)).filter(({ part }) => part === "code")) {
            assert.match(fileNameOf(code), /^[\w-][\w.-]*$/);
            if (!canHighlight(code.language, code.text)) continue;
            const start = used();
            const nodes = highlighted(Prism, code.language, code.text);
            assert.ok(used() - start < millisecondsMax, code.text.slice(0, 80));
            assert.equal(textOf(nodes), code.text);
        }
    }
});

test("a formula with a command that loads or leads somewhere is shown as its source", () => {
    for (const command of ["\\href{https://a.example}{x}", "\\url{https://a.example}", "\\htmlData{a=b}{x}",
        "\\includegraphics{https://a.example/x.png}"]) {
        assert.equal(mathTree(katex, { text: `a + ${command}`, isDisplayed: false }), null, command);
    }
});
