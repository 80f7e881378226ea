// Where the names of members stand in a text.

import assert from "node:assert/strict";
import { test } from "node:test";

import { isNamed, mentionParts } from "../../Web/js/mentions.js";

const ann = { id: "1", name: "ann" };
const annMarie = { id: "2", name: "ann-marie" };
const zoe = { id: "3", name: "Zoë." };

/** The names that are marked, and whose they are. */
function marked(text, mentions) {
    return mentionParts(text, mentions).filter(({ user }) => user)
        .map(({ said, user }) => [said, user.id]);
}

test("names are marked in whatever case, and the text stays as it is", () => {
    const text = "@Ann, (@ANN) and @ann-marie: @zoë.. @bob ann @ann.";
    const expected = [["@Ann", "1"], ["@ANN", "1"], ["@ann-marie", "2"], ["@zoë.", "3"], ["@ann", "1"]];
    assert.deepEqual(marked(text, [ann, annMarie, zoe]), expected);
    const parts = mentionParts(text, [ann, annMarie, zoe]);
    assert.equal(parts.map(({ said }) => said).join(""), text);
});

test("what is part of something else is not marked", () => {
    for (const text of ["x@ann", "@anna", "@ann.bob", "@ann@example.org", "/@ann", "@@ann", "\\@ann"]) {
        assert.deepEqual(marked(text, [ann]), [], text);
    }
});

test("a text of nobody is one part, and an empty one is fine", () => {
    assert.deepEqual(mentionParts("@ann", []), [{ said: "@ann", user: null }]);
    assert.deepEqual(mentionParts("", [ann]), []);
});

test("a message says whether it names somebody", () => {
    assert.equal(isNamed("1", { mentions: [ann] }), true);
    assert.equal(isNamed("2", { mentions: [ann] }), false);
    assert.equal(isNamed("1", {}), false);
});
