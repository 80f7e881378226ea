// Style sheets follow the theme that the user chose, not only the system's.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const folder = new URL("../../Web/css/", import.meta.url);

test("colours of both themes are written with light-dark(), which the theme switch changes", () => {
    for (const name of readdirSync(folder)) {
        const style = readFileSync(new URL(name, folder), "utf8");
        assert.ok(!style.includes("prefers-color-scheme"), `${name}: use light-dark(LIGHT, DARK)`);
    }
});
