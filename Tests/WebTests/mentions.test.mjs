// Members' names in a text.

import assert from "node:assert/strict";
import { test } from "node:test";

import { isNamed, mentionParts } from "../../Web/js/mentions.js";

const ann = { id: "1", name: "ann" };
const annMarie = { id: "2", name: "ann-marie" };
const zoe = { id: "3", name: "Zoë." };

/** The marked names, with their users. */
function marked(text, mentions) {
    return mentionParts(text, mentions).filter(({ user }) => user)
        .map(({ text: part, user }) => [part, user.id]);
}

test("names are marked in any case, and the text is unchanged", () => {
    const text = "@Ann, (@ANN) and @ann-marie: @zoë.. @bob ann @ann.";
    const expected = [["@Ann", "1"], ["@ANN", "1"], ["@ann-marie", "2"], ["@zoë.", "3"], ["@ann", "1"]];
    assert.deepEqual(marked(text, [ann, annMarie, zoe]), expected);
    const parts = mentionParts(text, [ann, annMarie, zoe]);
    assert.equal(parts.map((part) => part.text).join(""), text);
});

test("a name inside a longer word is not marked", () => {
    for (const text of ["x@ann", "@anna", "@ann.bob", "@ann@example.org", "/@ann", "@@ann", "\\@ann"]) {
        assert.deepEqual(marked(text, [ann]), [], text);
    }
});

test("a text without mentions is one part, and an empty text is valid", () => {
    assert.deepEqual(mentionParts("@ann", []), [{ text: "@ann", user: null }]);
    assert.deepEqual(mentionParts("", [ann]), []);
});

test("a message tells whether it mentions a user", () => {
    assert.equal(isNamed("1", { mentions: [ann] }), true);
    assert.equal(isNamed("2", { mentions: [ann] }), false);
    assert.equal(isNamed("1", {}), false);
});
