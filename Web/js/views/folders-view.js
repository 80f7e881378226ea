// Folders as groups in the list of conversations, and the tags above it that filter it.

import { byId, element, icon, setAttribute } from "../element.js";
import { grouped } from "../folders.js";
import { numberText, text } from "../language.js";
import { confirmed } from "./dialogs.js";
import { ListRow } from "./list-row.js";
import { showToast } from "./toast.js";

const dragType = "application/x-stoa-conversation";
const keyPrefix = "folder:";

/** The groups. Dispatches "changed" when what the list shows has changed. */
export class FoldersView extends EventTarget {
    #folders;
    #list;
    #box = byId("conversation-list");
    #tags = element("div", {
        id: "tag-bar", "data-testid": "tag-bar", class: "tag-bar", role: "group",
        "aria-label": text("folders.tags"), hidden: true,
    });
    #drawnTags = null;
    /** What has been requested whole: folders and tags. */
    #loaded = new Set();

    /** Groups `list`, a `ConversationList`, by `folders`. */
    constructor(folders, list) {
        super();
        this.#folders = folders;
        this.#list = list;
        this.#box.before(this.#tags);
        folders.addEventListener("changed", () => this.dispatchEvent(new CustomEvent("changed")));
        folders.addEventListener("stale", () => this.#loaded.clear());
        this.#box.addEventListener("click", ({ target }) => {
            const key = target.closest(".folder-toggle")?.dataset.key;
            if (key) folders.toggle(idOf(key));
        });
        this.#followDrags();
    }

    /** Whether a row's key is a folder's. */
    static isFolder(key) {
        return key?.startsWith(keyPrefix) === true;
    }

    /**
     * The items of the list: `itemOf` makes those of conversations. Conversations of folders and tags
     * that are beyond the loaded pages are added if `isShown` admits them. With a tag, only
     * conversations that have it, without groups.
     */
    items(conversations, isShown, itemOf) {
        const { tag, all } = this.#folders;
        this.#folders.note(conversations);
        this.#drawTags();
        if (tag !== null) {
            this.#loadWhole("tag", tag);
            return this.#list.where((row) => isShown(row) && row.tags?.includes(tag)).map(itemOf);
        }
        for (const { id } of all) if (this.#folders.isOpen(id)) this.#loadWhole("folder", id);
        const known = new Set(all.map(({ id }) => id));
        const filed = this.#list.where((row) => isShown(row) && known.has(row.folder));
        const others = conversations.filter(({ folder }) => !known.has(folder));
        return grouped([...filed, ...others], all, (id) => this.#folders.isOpen(id))
            .map((item) => (item.folder
                ? { key: `${keyPrefix}${item.folder.id}`, ...item }
                : { ...itemOf(item.conversation), isFiled: known.has(item.conversation.folder) }));
    }

    /** The groups of items of a folder's menu; `rename()` starts renaming it. */
    itemsFor(key, rename) {
        const folder = this.#folder(key);
        return folder && [[
            { name: "rename", symbol: "edit", label: text("folders.rename"), run: rename },
            {
                name: "delete", symbol: "delete", label: text("folders.delete"), isDangerous: true,
                run: () => this.#remove(folder),
            },
        ]];
    }

    /** The name of a folder. */
    nameOf(key) {
        return this.#folder(key)?.name ?? "";
    }

    /** Renames a folder. */
    rename(key, name) {
        return this.#try(this.#folders.rename(idOf(key), name));
    }

    #folder(key) {
        return this.#folders.all.find(({ id }) => id === idOf(key));
    }

    async #remove({ id, name }) {
        const isAgreed = await confirmed({
            heading: text("folders.delete.heading", { name }),
            text: text("folders.delete.text"),
            agree: text("folders.delete"),
        });
        if (isAgreed) this.#try(this.#folders.remove(id));
    }

    async #try(request) {
        try {
            await request;
        } catch (error) {
            showToast(error.message);
        }
    }

    /** Loads all conversations of a folder or tag once a connection, also those not reached yet. */
    async #loadWhole(kind, value) {
        const key = `${kind}:${value}`;
        if (this.#loaded.has(key)) return;
        this.#loaded.add(key);
        if (!await this.#list.load({ [kind]: value })) this.#loaded.delete(key);
    }

    #drawTags() {
        const { tags, tag: chosen } = this.#folders;
        const drawn = JSON.stringify([tags, chosen]);
        if (drawn === this.#drawnTags) return;
        this.#drawnTags = drawn;
        const focused = document.activeElement?.dataset.tag;
        this.#tags.hidden = tags.length === 0;
        this.#tags.replaceChildren(...tags.map((tag) => {
            const button = element("button", {
                type: "button", class: "tag", "data-tag": tag, "aria-pressed": String(tag === chosen),
            }, [tag]);
            button.addEventListener(
                "click", () => this.#folders.chooseTag(tag === chosen ? null : tag));
            return button;
        }));
        const again = [...this.#tags.children].find(({ dataset }) => dataset.tag === focused);
        if (focused !== undefined) again?.focus();
    }

    /** A row can be dragged onto a folder, and from there onto a row outside of all folders. */
    #followDrags() {
        const box = this.#box;
        let dragged = null;
        box.addEventListener("dragstart", (event) => {
            dragged = event.target.querySelector?.("[data-conversation-id]")?.dataset.conversationId
                ?? null;
            if (dragged) event.dataTransfer.setData(dragType, dragged);
        });
        box.addEventListener("dragend", () => {
            dragged = null;
            mark(box, null);
        });
        box.addEventListener("dragover", (event) => {
            const place = dragged && placeOf(event.target);
            mark(box, place?.node ?? null);
            if (place) event.preventDefault();
        });
        box.addEventListener("drop", (event) => {
            const place = dragged && placeOf(event.target);
            if (!place) return;
            event.preventDefault();
            this.#try(this.#folders.file(dragged, place.folder));
        });
    }
}

/** The row of a folder: the button that opens and closes it, and the button of its menu. */
export class FolderRow extends ListRow {
    #drawn = null;

    constructor(key) {
        super({
            main: { class: "folder-toggle", "data-testid": "folder-row", "data-key": key },
            item: { class: "folder" },
        });
    }

    /** Draws `{folder, count, isOpen}`. */
    draw({ folder: { name }, count, isOpen }) {
        const drawn = JSON.stringify([name, count, isOpen]);
        if (drawn === this.#drawn) return;
        this.#drawn = drawn;
        this.main.setAttribute("aria-expanded", String(isOpen));
        setAttribute(this.more, "aria-label", text("folders.menu.of", { name }));
        this.main.replaceChildren(
            icon("folder"), element("span", { class: "title", dir: "auto" }, [name]),
            ...(count > 0 ? [element("span", { class: "count" }, [numberText(count)])] : []));
    }
}

function idOf(key) {
    return key.slice(keyPrefix.length);
}

/** What a conversation that is dropped on a node is moved to. */
function placeOf(node) {
    const row = node.closest?.("li");
    const key = row?.querySelector(".folder-toggle")?.dataset.key;
    if (key) return { folder: idOf(key), node: row };
    return row && !row.classList.contains("is-filed") ? { folder: null, node: row } : null;
}

function mark(box, target) {
    for (const node of box.children) node.classList.toggle("is-drop-target", node === target);
}
