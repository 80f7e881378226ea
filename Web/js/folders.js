// The user's folders and tags, and the tag that filters the list. Which folders are open is
// remembered by this tab.

import { compareNames } from "./language.js";
import { readValue, writeValue } from "./tab-storage.js";

/** The folders and tags. Dispatches "changed", and "stale" when changes may have been missed. */
export class Folders extends EventTarget {
    #connection;
    #folders = [];
    #tags = [];
    /** The list number of the known folders. */
    #u = 0;
    #storageName;
    #state;

    constructor(connection, user) {
        super();
        this.#connection = connection;
        this.#storageName = `stoa.folders.${user.id}`;
        this.#state = readValue(this.#storageName, { open: [], tag: null });
        connection.addEventListener("welcome", () => {
            this.#u = 0;
            this.dispatchEvent(new CustomEvent("stale"));
            this.refresh();
        });
        connection.addEventListener("event", ({ detail }) => {
            if (detail.ev !== "folders.changed" || detail.u <= this.#u) return;
            this.#u = detail.u;
            this.#folders = detail.folders;
            this.#changed();
        });
    }

    /** All folders, by name. */
    get all() {
        return this.#folders;
    }

    /** The names of all tags. */
    get tags() {
        return this.#tags;
    }

    /** The tag that filters the list, or null. */
    get tag() {
        return this.#tags.includes(this.#state.tag) ? this.#state.tag : null;
    }

    /** Filters the list by a tag; null for all conversations. */
    chooseTag(tag) {
        this.#remember({ tag });
    }

    /** Whether a folder shows its conversations. */
    isOpen(id) {
        return this.#state.open.includes(id);
    }

    /** Opens or closes a folder. */
    toggle(id) {
        const others = this.#state.open.filter((open) => open !== id);
        this.#remember({ open: this.isOpen(id) ? others : [...others, id] });
    }

    /** Requests folders and tags again. An older server has none. */
    async refresh() {
        try {
            const [{ folders, u }, { tags }] = await Promise.all([
                this.#connection.request("folder.list"), this.#connection.request("tag.list"),
            ]);
            // An event in the meantime is newer.
            if (u >= this.#u) {
                this.#u = u;
                this.#folders = folders;
            }
            this.#tags = tags.map(({ name }) => name);
            this.#changed();
        } catch {
            // The known ones stay until the next connection.
        }
    }

    /** Adds tags of rows that are not known yet; others disappear with the next connection. */
    note(conversations) {
        const known = new Set(this.#tags);
        const unknown = new Set(conversations.flatMap(({ tags = [] }) => tags)
            .filter((tag) => !known.has(tag)));
        if (unknown.size === 0) return;
        this.#tags = [...this.#tags, ...unknown].sort(compareNames);
    }

    /** Renames a folder. */
    rename(folder, name) {
        return this.#connection.request("folder.rename", { folder, name });
    }

    /** Deletes a folder; its conversations stay. */
    remove(folder) {
        return this.#connection.request("folder.delete", { folder });
    }

    /** Moves a conversation into a folder; null for none. */
    file(conversation, folder) {
        const fields = folder === null ? { conversation } : { conversation, folder };
        return this.#connection.request("conversation.file", fields);
    }

    #remember(changes) {
        this.#state = { ...this.#state, ...changes };
        writeValue(this.#storageName, this.#state);
        this.#changed();
    }

    #changed() {
        this.dispatchEvent(new CustomEvent("changed"));
    }
}

/**
 * The rows of a list with its folders: of each folder `{folder, count, isOpen}`, followed by its
 * conversations if it is open, and then the conversations in no known folder, as `{conversation}`.
 */
export function grouped(conversations, folders, isOpen) {
    const contents = new Map(folders.map(({ id }) => [id, []]));
    const others = [];
    for (const conversation of conversations) {
        (contents.get(conversation.folder) ?? others).push({ conversation });
    }
    const groups = folders.flatMap((folder) => {
        const rows = contents.get(folder.id);
        const head = { folder, count: rows.length, isOpen: isOpen(folder.id) };
        return head.isOpen ? [head, ...rows] : [head];
    });
    return [...groups, ...others];
}
