// The list of conversations: what stays where it is, and what a menu offers.

import assert from "node:assert/strict";
import { test } from "node:test";

import { actionGroupsOn } from "../../Web/js/conversation-rights.js";
import { keptInPlace } from "../../Web/js/list-order.js";

/** Applies the insertions as the page does: from the end, each before its successor. */
function moved(before, after) {
    const stay = keptInPlace(before, after);
    const list = before.filter((key) => after.includes(key));
    let next = null;
    for (const key of after.toReversed()) {
        if (!stay.has(key)) {
            if (list.includes(key)) list.splice(list.indexOf(key), 1);
            list.splice(next === null ? list.length : list.indexOf(next), 0, key);
        }
        next = key;
    }
    return { list, count: after.length - stay.size };
}

test("one row that moves up or down is the only one that moves", () => {
    const rows = [..."abcdefgh"];
    for (const after of ["habcdefg", "bcdefgha", "abdefgch"]) {
        assert.deepEqual(moved(rows, [...after]), { list: [...after], count: 1 }, after);
    }
    assert.equal(moved(rows, rows).count, 0);
});

test("rows that come and go move no others", () => {
    assert.deepEqual(moved([..."abcd"], [..."xacyd"]), { list: [..."xacyd"], count: 2 });
    assert.deepEqual(moved([], [..."ab"]), { list: ["a", "b"], count: 2 });
    assert.deepEqual(moved([..."ab"], []), { list: [], count: 0 });
});

test("any order is reached, with the fewest moves", () => {
    let seed = 7;
    const random = (limit) => {
        seed = (seed * 48271) % 2147483647;
        return seed % limit;
    };
    for (let round = 0; round < 300; round += 1) {
        const keys = [..."abcdefghij"].slice(0, random(11));
        const after = keys.filter(() => random(4) > 0);
        for (let at = after.length - 1; at > 0; at -= 1) {
            const other = random(at + 1);
            [after[at], after[other]] = [after[other], after[at]];
        }
        assert.deepEqual(moved(keys, after).list, after, `${keys} to ${after}`);
    }
    assert.equal(moved([..."abcde"], [..."edcba"]).count, 4);
});

test("a menu offers what the role allows", () => {
    const names = (conversation, context) => actionGroupsOn(conversation, context).flat();
    const owner = names({ role: "owner" }, { teamCount: 1 });
    for (const name of ["rename", "settings", "invite", "share", "move", "export", "delete"]) {
        assert.ok(owner.includes(name), name);
    }
    assert.ok(!owner.includes("leave") && !owner.includes("hold"));
    assert.deepEqual(names({ role: "viewer" }), ["pin", "organise", "archive", "export", "leave"]);
    const editor = names({ role: "editor" }, { isAdministrator: true });
    assert.ok(editor.includes("rename") && editor.includes("hold") && editor.includes("leave"));
    assert.ok(!editor.includes("share") && !editor.includes("delete"));
});

test("a conversation is moved to a team by its owner, and only once", () => {
    const offersMove = (conversation, teamCount) =>
        actionGroupsOn(conversation, { teamCount }).flat().includes("move");
    assert.ok(!offersMove({ role: "owner" }, 0));
    assert.ok(!offersMove({ role: "owner", team: "t" }, 2));
    assert.ok(!offersMove({ role: "editor" }, 2));
    assert.ok(offersMove({ role: "owner" }, 2));
});
