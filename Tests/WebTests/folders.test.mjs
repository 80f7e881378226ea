// Folders and tags: grouping the rows of a list, and following changes.

import assert from "node:assert/strict";
import test from "node:test";

import { Folders, grouped } from "../../Web/js/folders.js";
import { tagsIn } from "../../Web/js/tags.js";

const kitchen = { id: "k", name: "Kitchen" };
const work = { id: "w", name: "Work" };

class Connection extends EventTarget {
    constructor(replies) {
        super();
        this.replies = replies;
        this.requests = [];
    }

    async request(op, fields = {}) {
        this.requests.push([op, fields]);
        return this.replies[op] ?? {};
    }

    emit(type, detail) {
        this.dispatchEvent(new CustomEvent(type, { detail }));
    }
}

test("conversations follow their folder if it is open, and the others come last", () => {
    const rows = [
        { id: "1" }, { id: "2", folder: "w" }, { id: "3", folder: "k" }, { id: "4", folder: "w" },
    ];
    const items = grouped(rows, [kitchen, work], (id) => id === "w");
    assert.deepEqual(items, [
        { folder: kitchen, count: 1, isOpen: false },
        { folder: work, count: 2, isOpen: true },
        { conversation: rows[1] }, { conversation: rows[3] }, { conversation: rows[0] },
    ]);
});

test("a conversation in an unknown folder is in none", () => {
    const row = { id: "1", folder: "gone" };
    assert.deepEqual(grouped([row], [], () => true), [{ conversation: row }]);
});

test("folders come from the server, and then from events, of which a late one has no effect", async () => {
    const connection = new Connection({
        "folder.list": { folders: [kitchen], u: 5 },
        "tag.list": { tags: [{ name: "tea", conversations: 2 }] },
    });
    const folders = new Folders(connection, { id: "ann" });
    let changeCount = 0;
    folders.addEventListener("changed", () => {
        changeCount += 1;
    });
    await folders.refresh();
    assert.deepEqual([folders.all, folders.tags], [[kitchen], ["tea"]]);
    connection.emit("event", { ev: "folders.changed", folders: [kitchen, work], u: 7, after: 6 });
    connection.emit("event", { ev: "folders.changed", folders: [], u: 6, after: 5 });
    assert.deepEqual(folders.all, [kitchen, work]);
    assert.equal(changeCount, 2);
    // This reply is older than the event.
    await folders.refresh();
    assert.deepEqual(folders.all, [kitchen, work]);
});

test("a tag filters only while there is one, and tags of new rows are known at once", async () => {
    const connection = new Connection({ "folder.list": { folders: [], u: 1 }, "tag.list": { tags: [] } });
    const folders = new Folders(connection, { id: "bob" });
    await folders.refresh();
    folders.chooseTag("tea");
    assert.equal(folders.tag, null);
    folders.note([{ id: "1", tags: ["tea", "milk"] }, { id: "2" }]);
    assert.deepEqual(folders.tags, ["milk", "tea"]);
    assert.equal(folders.tag, "tea");
});

test("opening and closing a folder is remembered", () => {
    const folders = new Folders(new Connection({}), { id: "eve" });
    folders.toggle("k");
    assert.equal(folders.isOpen("k"), true);
    folders.toggle("k");
    assert.equal(folders.isOpen("k"), false);
});

test("tags are separated by commas, each once", () => {
    assert.deepEqual(tagsIn(" tea, to read ,tea,, "), ["tea", "to read"]);
    assert.deepEqual(tagsIn("茶、読む"), ["茶", "読む"]);
    assert.deepEqual(tagsIn(" "), []);
});
