// The licenses that the page and `stoa licenses` show name each package of the page with its version.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const packages = "/usr/share/nodejs";
const within = "markdown-it/node_modules";
const names = { "markdown-it": "markdown-it", "katex": "KaTeX", "prismjs": "Prism", "punycode": "punycode",
    [`${within}/mdurl`]: "mdurl", [`${within}/linkify-it`]: "linkify-it", [`${within}/uc.micro`]: "uc.micro" };
const text = readFileSync(new URL("../../Web/licenses.txt", import.meta.url), "utf8");
const folder = new URL("../../Web/js/libraries/", import.meta.url);

test("each package of the page stands in the licenses with its version", () => {
    for (const [path, name] of Object.entries(names)) {
        const { version } = JSON.parse(readFileSync(`${packages}/${path}/package.json`, "utf8"));
        assert.match(text, new RegExp(`^${name} ${version.replaceAll(".", "\\.")}$`, "m"));
    }
});

test("the page names no other package", () => {
    const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
    const named = sources.flatMap((source) => [...source.matchAll(/from "([^."][^"]*)"|^import "([^."][^"]*)"/gm)]
        .map(([, one, other]) => (one ?? other).split("/")[0]));
    for (const name of named) assert.ok(name in names && existsSync(`${packages}/${name}`), name);
});
