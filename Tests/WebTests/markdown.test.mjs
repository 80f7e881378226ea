// Markdown: which nodes a text becomes, what is never a link, and that a text that grows keeps the nodes
// that stand. commonmark.test.mjs has the specification's examples.

import assert from "node:assert/strict";
import { test } from "node:test";

import "../WebTestSupport/document.mjs";
import "../WebTestSupport/packages.mjs";

const { MarkdownDocument } = await import("../../Web/js/markdown/document.js");
const { fileNameOf } = await import("../../Web/js/markdown/code-languages.js");
const { safeAddress } = await import("../../Web/js/markdown/links.js");
const { showInstead, showMarkdown } = await import("../../Web/js/markdown/view.js");
const { withMentions } = await import("../../Web/js/mentions.js");

function nodesOf(text) {
    return new MarkdownDocument().nodes(text);
}

/** A tree of nodes as a short text: strong is [b …], a link [a(address) …]. */
function brief(nodes) {
    const names = { strong: "b", em: "i", del: "s", code: "c" };
    return nodes.map((node) => {
        if (typeof node === "string") return node;
        if (node.part) return `[${node.part} ${node.text}]`;
        if (node.name === "br") return "[br]";
        if (node.name === "a") return `[a(${node.attributes.href}) ${brief(node.children)}]`;
        return `[${names[node.name] ?? node.name} ${brief(node.children)}]`;
    }).join("");
}

/** A paragraph's content as a short text. */
function inlineOf(text) {
    const [paragraph] = nodesOf(text);
    assert.equal(paragraph.name, "p");
    return paragraph.children;
}

const inline = {
    "plain": "plain",
    "**bold** and *soft* and ~~gone~~": "[b bold] and [i soft] and [s gone]",
    "***both***": "[i [b both]]",
    "**a *b* c**": "[b a [i b] c]",
    "**foo*bar**": "[b foo*bar]",
    "snake_case_name and _soft_": "snake_case_name and [i soft]",
    "2 * 3 * 4": "2 * 3 * 4",
    "*open": "*open",
    "\\*not\\*": "*not*",
    "`a * b` and ``c ` d``": "[c a * b] and [c c ` d]",
    "` ` and `open": "[c  ] and `open",
    "one\ntwo": "one[br]two",
    "[x](https://a.example/b)": "[a(https://a.example/b) x]",
    "[**x**](<https://a.example/b c> \"title\")": "[a(https://a.example/b%20c) [b x]]",
    "[x](https://a.example/b_(c))": "[a(https://a.example/b_(c)) x]",
    "![pixel](https://evil.example/p.png)": "[a(https://evil.example/p.png) pixel]",
    "See https://a.example/b. (https://a.example/c)":
        "See [a(https://a.example/b) https://a.example/b]. "
        + "([a(https://a.example/c) https://a.example/c])",
    "<https://a.example/>": "[a(https://a.example/) https://a.example/]",
    "<img src=x onerror=alert(1)>": "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))": "x",
    "[x](JaVaScRiPt:alert(1))": "x",
    "[x](data:text/html,hi)": "x",
    "[x](/relative)": "x",
    "[a [b](https://a.example/) c](https://b.example/)": "[a [a(https://a.example/) b] c]([a(https://b.example/) https://b.example/])",
    "[open](": "[open](",
};

test("inline Markdown becomes nodes", () => {
    for (const [text, expected] of Object.entries(inline)) {
        assert.equal(brief(inlineOf(text)), expected, text);
    }
});

test("links lead to absolute http, https and mailto addresses only", () => {
    for (const address of ["https://a.example/", "http://a.example/", "mailto:a@b.example"]) {
        assert.equal(safeAddress(address), address);
    }
    const refused = ["javascript:alert(1)", " \u0001javascript:alert(1)", "data:text/html,x",
        "vbscript:x", "file:///etc/passwd", "blob:https://a/b", "//a.example", "a", ""];
    for (const address of refused) assert.equal(safeAddress(address), null, address);
});

const formulaCases = {
    "a $x_1 * y$ b": "a [formula x_1 * y] b",
    "from $5 to $10": "from $5 to $10",
    "\\(a\\) and $$b$$": "[formula a] and [formula b]",
    "`$x$` and \\$x$": "[c $x$] and $x$",
    "$ x $": "$ x $",
};

test("formulas keep their source, and money is not one", () => {
    for (const [text, expected] of Object.entries(formulaCases)) {
        assert.equal(brief(inlineOf(text)), expected, text);
    }
    for (const text of ["$$\na\\\\b\n$$", "\\[ a\\\\b \\]", "$$\na\\\\b"]) {
        const [formula] = nodesOf(text);
        assert.deepEqual([formula.part, formula.text.trim()], ["formula", "a\\\\b"], text);
    }
});

test("notes are numbered in the order of their references, and stand last", () => {
    const nodes = nodesOf("a[^y] b[^x] c[^y] d[^z]\n\n[^x]: X\n\n[^y]: Y\n    more\n\n[^w]: never");
    assert.equal(brief(nodes.slice(0, 1)),
        "[p a[sup [button 1]] b[sup [button 2]] c[sup [button 1]] d[^z]]");
    assert.equal(brief(nodes.at(-1).children), "[ol [li [p Y[br]more][button ↩]][li [p X][button ↩]]]");
});

test("a task has a checkbox with its text as name", () => {
    const [list] = nodesOf("- [x] done **well**\n- [ ] open\n- \\[ ] none");
    const boxes = list.children.map(({ children: [first] }) => first.attributes ?? null);
    assert.deepEqual(boxes.map((box) => box && [box.checked, box.disabled, box["aria-label"]]), [
        [true, true, "done well"], [false, true, "open"], null]);
});

test("code is unchanged, also while its closing fence is missing", () => {
    const [closed] = nodesOf("```swift\nlet a = \"*b*\"\n\n  c\n```");
    assert.deepEqual([closed.language, closed.text], ["swift", "let a = \"*b*\"\n\n  c"]);
    assert.equal(nodesOf("~~~\nstill `grow")[0].text, "still `grow");
    assert.equal(nodesOf("````\n```\n````")[0].text, "```");
});

test("a file of code is named by its fence, or else by its language", () => {
    const names = ["py", "", "js title=\"app.mjs\"", "ts:src/main.ts", "c ../../etc/passwd.txt", "no-such"]
        .map((info) => fileNameOf(nodesOf(`\`\`\`${info}\nx\n\`\`\``)[0]));
    assert.deepEqual(names, ["code.py", "code.txt", "app.mjs", "main.ts", "passwd.txt", "code.txt"]);
});

test("mentions are marked in text, but not in code and links", () => {
    const ann = { id: "1", name: "ann" };
    const nodes = withMentions(nodesOf("*@ann* `@ann` [@ann](https://a.example/)"), [ann], "1");
    assert.equal(brief(nodes), "[p [i [span @ann]] [c @ann] [a(https://a.example/) @ann]]");
});

const long = `# Title\n\nOne *two*\nthree\n\n- a\n\n  b\n- c\n  1. d\n  2. e\n\n---\n\n> q\nlazy\n\n${""
    }| a | b |\n|---|--:|\n| 1 | 2 |\n| 3 | 4 |\n\ntext\n===\n\n\`\`\`js\nlet a;\n\nlet b;\n\`\`\`\n\n${""
    }1. x\n\n2. y\n\n$$\nx\n$$\n\nx $a$ [l](https://a.example)\n\n* * *\n\n+ z\n+ - y\n`;

test("a text that grows becomes the same as one that is there at once", () => {
    for (const text of [long, `${long}\n[l]: https://a.example\n\nsee [l] and[^1]\n\n[^1]: note\n`]) {
        const growing = new MarkdownDocument();
        for (let end = 1; end <= text.length; end += 1) {
            const part = text.slice(0, end);
            assert.deepEqual(growing.nodes(part), nodesOf(part), JSON.stringify(part.slice(-60)));
        }
        assert.deepEqual(growing.nodes("other"), nodesOf("other"));
    }
});

/** Draws a text that grows by each of `parts`, and returns the container and what was in it before. */
function grown(parts) {
    const container = document.createElement("div");
    let text = "";
    let before = [];
    for (const part of parts) {
        before = everything(container);
        text += part;
        showMarkdown(container, text);
    }
    return { container, before };
}

function everything(node) {
    return node.childNodes.flatMap((child) => [child, ...everything(child)]);
}

test("what stands keeps its nodes while a block grows", () => {
    const blocks = {
        table: ["| a | b |\n|---|---|\n| 1 | 2 |\n", "| 3 | 4 |\n"],
        list: ["- a\n- b\n  - c", " d\n  - e"],
        code: ["```js\nlet a = 1;\nlet", " b = 2;\n"],
        formula: ["text\n\n$$\na + b", " + c"],
        paragraph: ["# T\n\none **two** three", " four `five`"],
        quote: ["> a\n> b", " c\n> d"],
    };
    for (const [name, parts] of Object.entries(blocks)) {
        const { container, before } = grown(parts);
        const after = new Set(everything(container));
        assert.ok(before.length > 0 && before.every((node) => after.has(node)), name);
        const atOnce = grown([parts.join("")]).container;
        assert.equal(container.textContent, atOnce.textContent, name);
    }
});

test("a placeholder makes room for the text, also for the same text again", () => {
    const container = document.createElement("div");
    for (const _ of [1, 2]) {
        showInstead(container, [document.createTextNode("…")]);
        assert.equal(container.textContent, "…");
        // As of an answer whose last part is drawn before it is complete.
        for (const _ of [1, 2]) {
            showMarkdown(container, "4 + 5 = 9");
            assert.equal(container.textContent, "4 + 5 = 9");
        }
    }
});

test("a table of 200 rows grows in little time", () => {
    const container = document.createElement("div");
    let text = `${"A paragraph before it.\n\n".repeat(200)}| a | b | c | d |\n|---|---|---|---|\n`;
    const start = process.cpuUsage();
    for (let row = 0; row < 200; row += 1) {
        text += `| ${row} | **b** | \`code\` | some words in a cell |\n`;
        showMarkdown(container, text);
    }
    const { user, system } = process.cpuUsage(start);
    // At 50 deltas a second, each has 20 ms. Time of the processor, since other tests run as well.
    assert.ok((user + system) / 200 < 12_000, `${(user + system) / 200} µs`);
});

test("hostile texts are parsed in time", { timeout: 60_000 }, () => {
    const units = ["[", "*a ", "` `` ", "_a* ", "<", "https://x", "> ", "- ", "# ", " ", "```a",
        "[a](b)", "![", "|-", "((", "\\", "~~", "1. ", "$a ", "[^a]: ", "[a]: b "];
    for (const unit of units) {
        const texts = [unit.repeat(200_000 / unit.length), `${unit}\n`.repeat(20_000),
            `# ${unit.repeat(10_000)}x`, unit.repeat(19_000 / unit.length)];
        for (const text of texts) nodesOf(text);
    }
});
