// The table of commands, and finding in it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import en from "../../Web/languages/en.js";
import { chordText, commandOf, commands, groups, listedCommands } from "../../Web/js/commands.js";
import { actionGroupsOn } from "../../Web/js/conversation-rights.js";
import { bestMatches, matchOf } from "../../Web/js/fuzzy.js";

const pressed = (key, held = {}) => ({
    key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held,
});

test("each command has a text, a group with a heading, and keys that no other of them has", () => {
    const taken = new Set();
    for (const { id, group, keys } of commands) {
        assert.ok(en[`command.${id}`], id);
        assert.ok(groups.includes(group) && en[`shortcuts.${group}`], group);
        for (const chord of keys) {
            const place = `${group === "composer" ? "composer " : ""}${chord}`;
            assert.ok(!taken.has(place), `${chord} means two things`);
            taken.add(place);
        }
    }
});

test("a chord is Ctrl or Cmd with its key; Shift counts with it, but is a part of a sign", () => {
    assert.equal(commandOf(pressed("k", { ctrlKey: true }), true).id, "palette");
    assert.equal(commandOf(pressed("k", { metaKey: true }), true).id, "palette");
    assert.equal(commandOf(pressed("O", { ctrlKey: true, shiftKey: true }), true).id,
        "new-conversation");
    assert.equal(commandOf(pressed("?", { shiftKey: true }), false).id, "shortcuts");
    assert.equal(commandOf(pressed("k", { ctrlKey: true, altKey: true }), false), null);
});

test("while the user types, only keys with Ctrl, Cmd or Alt are shortcuts", () => {
    assert.equal(commandOf(pressed("j"), false).id, "next-message");
    assert.equal(commandOf(pressed("N", { shiftKey: true }), false), null);
    for (const key of ["j", "k", "n", "?", "/", "Delete", "ArrowUp", "c"]) {
        assert.equal(commandOf(pressed(key), true), null, key);
    }
    assert.equal(commandOf(pressed("ArrowUp", { altKey: true }), true).id, "previous-conversation");
    assert.equal(commandOf(pressed("Escape", { shiftKey: true }), true).id, "focus-composer");
});

test("the palette lists what can be run now, and no keys of a focused message", () => {
    const page = {
        offers: () => false, offersAction: (name) => name === "pin", messageOffers: () => true,
    };
    const ids = listedCommands(page).map(({ id }) => id);
    assert.ok(ids.includes("new-conversation") && ids.includes("pin"));
    assert.ok(!ids.includes("delete") && !ids.includes("delete-message") && !ids.includes("send"));
});

test("a chord reads as on the keyboard of the device", () => {
    const nameOf = (key) => en[`key.${key}`];
    assert.equal(chordText("mod+shift+o", { isMac: false, nameOf }), "Ctrl Shift O");
    assert.equal(chordText("mod+k", { isMac: true, nameOf }), "⌘ K");
    assert.equal(chordText("+", { isMac: false, nameOf }), "+");
    assert.equal(chordText("alt+arrowdown", { isMac: false, nameOf }), "Alt Arrow down");
});

test("buttons that commands press are in the page", () => {
    const source = readFileSync(new URL("../../Web/js/commands.js", import.meta.url), "utf8");
    const html = readFileSync(new URL("../../Web/index.html", import.meta.url), "utf8");
    const buttons = source.match(/"([a-z]+-open|new-conversation)"/g);
    assert.ok(buttons.length > 3);
    for (const id of buttons) assert.ok(html.includes(`id=${id}`), id);
});

test("actions that commands run are those of a conversation's menu", () => {
    const asked = new Set();
    const page = {
        offers: () => false, messageOffers: () => false,
        offersAction: (name) => asked.add(name) && false,
    };
    listedCommands(page);
    const offered = new Set(["owner", "viewer"]
        .flatMap((role) => actionGroupsOn({ role }, { isAdministrator: true, teamCount: 2 }).flat()));
    assert.ok(asked.size > 8);
    for (const name of asked) assert.ok(offered.has(name), name);
});

test("a few letters in order find a name; beginnings of words and neighbours count more", () => {
    assert.equal(matchOf("xyz", "Dark theme"), null);
    assert.equal(matchOf("", "Dark theme"), 0);
    assert.ok(matchOf("dt", "Dark theme") > matchOf("dt", "Index that"));
    assert.ok(matchOf("elan", "Élan vital") !== null);
    const names = ["Export this conversation", "Previous conversation", "New conversation"];
    assert.equal(bestMatches("new", names, (name) => name)[0], "New conversation");
    assert.deepEqual(bestMatches("", names, (name) => name), names);
});
