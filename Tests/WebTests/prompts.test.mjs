// Variables of library prompts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { variablesIn, withValues } from "../../Web/js/prompt-variables.js";

test("each variable is asked for once, in the order of its first use", () => {
    const text = "Translate {{ text }} into {{language}}; answer in {{language}}, {{nombre d'or}}.";
    assert.deepEqual(variablesIn(text), ["text", "language"]);
    assert.deepEqual(variablesIn("{{größe}} {{zwei Wörter}} {{2nd}}"), ["größe", "zwei Wörter", "2nd"]);
});

test("single braces, empty and unfinished names are text", () => {
    for (const text of ["{name}", "{{}}", "{{ }}", "{{name}", "f({{1,2},{3}})", "${{ a.b }}"]) {
        assert.deepEqual(variablesIn(text), [], text);
    }
});

test("values replace their variables, and are not searched for variables themselves", () => {
    const values = { a: "{{b}} $& $1", b: "two" };
    assert.equal(withValues("{{a}}, {{ b }}, {{c}}", values), "{{b}} $& $1, two, {{c}}");
    assert.equal(withValues("{{constructor}}", {}), "{{constructor}}");
});
