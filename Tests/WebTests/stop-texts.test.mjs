// The texts that end an answer, as the settings dialog shows and reads them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf, textsIn } from "../../Web/js/stop-texts.js";

test("texts come back as they were, whatever line breaks and backslashes they hold", () => {
    for (const texts of [["a"], ["\n\n", "User:"], ["\\n", "\\", "\\\n"], [" x ", "ü", "\r\n"]]) {
        assert.deepEqual(textsIn(linesOf(texts)), texts);
    }
});

test("empty lines are no texts, and no texts are none", () => {
    assert.equal(textsIn(""), undefined);
    assert.equal(textsIn("\n\n"), undefined);
    assert.equal(linesOf(undefined), "");
    assert.deepEqual(textsIn("a\r\n\nb"), ["a", "b"]);
});
