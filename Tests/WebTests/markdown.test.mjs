// Markdown: which blocks and nodes a text becomes, what is never a link, and linear time for
// hostile texts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { parseBlocks } from "../../Web/js/markdown-blocks.js";
import { parseInline } from "../../Web/js/markdown-inline.js";
import { safeAddress } from "../../Web/js/markdown-links.js";

/** A tree of nodes as a short text: strong is [b …], a link [a(address) …]. */
function brief(nodes) {
    const names = { strong: "b", emphasis: "i", deleted: "s", group: "g" };
    return nodes.map((node) => {
        if (node.type === "text") return node.text;
        if (node.type === "code") return `[c ${node.text}]`;
        if (node.type === "break") return "[br]";
        if (node.type === "link") return `[a(${node.address}) ${brief(node.nodes)}]`;
        return `[${names[node.type]} ${brief(node.nodes)}]`;
    }).join("");
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
    "[x](javascript:alert(1))": "[g x]",
    "[x](JaVaScRiPt:alert(1))": "[g x]",
    "[x](data:text/html,hi)": "[g x]",
    "[x](/relative)": "[g x]",
    "[a [b](https://a.example/) c](https://b.example/)": "[a(https://b.example/) a [g b] c]",
    "[open](": "[open](",
};

test("inline Markdown becomes nodes", () => {
    for (const [text, expected] of Object.entries(inline)) {
        assert.equal(brief(parseInline(text)), expected, text);
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

function types(text) {
    return parseBlocks(text).map(({ type }) => type);
}

test("blocks are recognized", () => {
    const text = "# Title #\n\ntext\nmore\n- a\n- b\n\n1. x\n2. y\n\n> q\n\n---\n\n"
        + "| a | b |\n|---|--:|\n| 1 | 2 |";
    const expected = ["heading", "paragraph", "list", "list", "quote", "rule", "table"];
    assert.deepEqual(types(text), expected);
    assert.deepEqual(types("a number\n1986. A great year"), ["paragraph"]);
    assert.deepEqual(types("```not` a fence"), ["paragraph"]);
});

test("a heading's closing marks are not part of its text", () => {
    assert.equal(parseBlocks("## Title ##")[0].text, "Title");
    assert.equal(parseBlocks("## C#")[0].text, "C#");
});

test("code is unchanged, also while its closing fence is missing", () => {
    const [closed] = parseBlocks("```swift\nlet a = \"*b*\"\n\n  c\n```");
    assert.deepEqual([closed.language, closed.text], ["swift", "let a = \"*b*\"\n\n  c"]);
    assert.equal(parseBlocks("~~~\nstill `grow")[0].text, "still `grow");
    assert.equal(parseBlocks("````\n```\n````")[0].text, "```");
});

test("lists contain blocks and lists", () => {
    const text = "3. one\n\n   more\n4. two\n   - inner\n     ```\n     code\n     ```";
    const [list] = parseBlocks(text);
    assert.equal(list.start, 3);
    assert.deepEqual(list.items[0].map(({ type }) => type), ["paragraph", "paragraph"]);
    assert.deepEqual(list.items[1].map(({ type }) => type), ["paragraph", "list"]);
    assert.equal(list.items[1][1].items[0][1].text, "code");
});

test("the sources of blocks add up to the text, so that unchanged blocks can be kept", () => {
    const text = "# a\n\nb\nc\n\n- d\n- e\n\n```\nf\n```\n\ng";
    const before = parseBlocks(text).map(({ source }) => source);
    const after = parseBlocks(`${text} more`).map(({ source }) => source);
    assert.deepEqual(after.slice(0, -1), before.slice(0, -1));
});

test("hostile texts are parsed in time", { timeout: 20_000 }, () => {
    const units = ["[", "*a ", "` `` ", "_a* ", "<", "https://x", "> ", "- ", "# ", " ", "```a",
        "[a](b)", "![", "|-", "((", "\\", "~~", "1. "];
    for (const unit of units) {
        const texts = [unit.repeat(200_000 / unit.length), `${unit}\n`.repeat(20_000),
            `# ${unit.repeat(10_000)}x`, unit.repeat(19_000 / unit.length)];
        for (const text of texts) {
            for (const block of parseBlocks(text)) {
                if (block.text !== undefined && block.type !== "code") parseInline(block.text);
            }
        }
    }
});
