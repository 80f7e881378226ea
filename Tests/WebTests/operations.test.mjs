// Every operation of the protocol is requested by the page, or stands in a table that says why not.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const root = new URL("../../", import.meta.url);

/** The first cells, in code style, of the rows of a page's table, from `heading` to the next one. */
function operationsIn(page, heading) {
    const text = readFileSync(new URL(page, root), "utf8");
    const begin = text.indexOf(heading) + heading.length;
    const end = text.indexOf("\n## ", begin);
    const part = text.slice(begin, end < 0 ? undefined : end);
    return [...part.matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, name]) => name);
}

/** All scripts of the page, as one text. */
function scripts() {
    const folder = new URL("Web/js/", root);
    return readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".js"))
        .map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
}

test("every operation is used by the page, or the table says why not", () => {
    const operations = operationsIn("docs/reference/protocol.md", "\n## Operations\n");
    const excused = operationsIn("docs/reference/page-operations.md", "# Operations");
    const text = scripts();
    const used = operations.filter((name) => text.includes(`"${name}"`));
    assert.ok(operations.length > 80, "the protocol's table was not found");
    assert.deepEqual(
        operations.filter((name) => !used.includes(name) && !excused.includes(name)), [],
        "neither used nor in docs/reference/page-operations.md");
    assert.deepEqual(
        excused.filter((name) => used.includes(name)), [],
        "used: remove them from docs/reference/page-operations.md");
    assert.deepEqual(
        excused.filter((name) => !operations.includes(name)), [], "no operations of the protocol");
});
