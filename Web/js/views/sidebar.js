// The list of conversations; on a phone, a drawer.

import { byId, setText } from "../element.js";
import { Folders } from "../folders.js";
import { text } from "../language.js";
import { rowDetailOf } from "../wording.js";
import { ConversationRow } from "./conversation-row.js";
import { FolderRow, FoldersView } from "./folders-view.js";
import { KeyedRows } from "./keyed-rows.js";
import { renameInPlace } from "./rename-field.js";
import { RowMenu } from "./row-menu.js";

/** A team's list is filled automatically to this many rows, from at most this many pages of all. */
const enoughRows = 15;
const pagesToFillMax = 10;

/** The list. Dispatches "open" (detail: an id). */
export class Sidebar extends EventTarget {
    #list;
    #teams;
    #ownID;
    #actions;
    #box = byId("conversation-list");
    #rows = new KeyedRows(this.#box, (key) => (
        FoldersView.isFolder(key) ? new FolderRow(key) : new ConversationRow(key)));
    #groups;
    /** The keys of the rows, in their order. */
    #keys = [];
    /** The row at which Tab stops; arrow keys move to the others. */
    #tabStop = null;
    /** How many more pages may be loaded automatically for the selected team. */
    #pagesLeft = 0;
    #narrowedTo = null;
    #openID = null;

    /**
     * Shows `list`, a `ConversationList`, filtered by the team selected in `teams`, and grouped by the
     * user's folders; `actions` are those of the rows' menus.
     */
    constructor(connection, list, teams, user, actions) {
        super();
        this.#list = list;
        this.#teams = teams;
        this.#ownID = user.id;
        this.#actions = actions;
        this.#groups = new FoldersView(new Folders(connection, user), list);
        this.#groups.addEventListener("changed", () => this.draw());
        list.addEventListener("changed", () => this.draw());
        teams.addEventListener("changed", () => this.draw());
        byId("list-more").addEventListener("click", () => list.loadMore());
        new RowMenu(this.#box, (node) => this.#rowOf(node), (id) => this.#itemsFor(id));
        this.#followRows();
        byId("drawer-open").addEventListener("click", () => this.toggleDrawer(true));
        byId("drawer-shade").addEventListener("click", () => this.toggleDrawer(false));
        byId("workspace").addEventListener("keydown", (event) => {
            if (event.key !== "Escape" || !this.#isDrawerOpen) return;
            event.preventDefault();
            this.toggleDrawer(false);
        });
    }

    /** Marks the open conversation. */
    select(id) {
        this.#openID = id;
        if (id !== null) this.#tabStop = id;
        this.draw();
    }

    /** Opens or closes the drawer. */
    toggleDrawer(isOpen) {
        if (isOpen === this.#isDrawerOpen) return;
        byId("workspace").classList.toggle("drawer-is-open", isOpen);
        byId("drawer-open").setAttribute("aria-expanded", String(isOpen));
        if (isOpen) byId("new-conversation").focus();
        else byId("drawer-open").focus();
    }

    /** Draws the rows. */
    draw() {
        const { hasMore, isLoaded } = this.#list;
        const team = this.#teams.chosen;
        const isShown = (conversation) => team === null || conversation.team === team.id;
        const conversations = this.#list.conversations.filter(isShown);
        const items = this.#groups.items(
            conversations, isShown, (conversation) => this.#itemOf(conversation));
        this.#rows.draw(items);
        this.#keys = items.map(({ key }) => key);
        this.#drawTabStop();
        byId("list-more").hidden = !hasMore;
        byId("list-note").hidden = !isLoaded || conversations.length > 0;
        setText(byId("list-note"), text(
            team ? "conversations.none.team" : "conversations.none"));
        this.#fill(team?.id ?? null, conversations.length);
    }

    /** Loads more if few of the loaded rows belong to the selected team. */
    #fill(team, shown) {
        if (team !== this.#narrowedTo) {
            this.#narrowedTo = team;
            this.#pagesLeft = pagesToFillMax;
        }
        const isThin = team !== null && shown < enoughRows && this.#list.hasMore;
        if (!isThin || this.#pagesLeft === 0) return;
        this.#pagesLeft -= 1;
        this.#list.loadMore();
    }

    get #isDrawerOpen() {
        return byId("workspace").classList.contains("drawer-is-open");
    }

    #itemOf(conversation) {
        const { id, members = [] } = conversation;
        const isOpen = id === this.#openID;
        const others = members.filter(({ user }) => user.id !== this.#ownID);
        return {
            key: id,
            conversation,
            detail: rowDetailOf({
                team: this.#teams.chosen ? null : this.#teams.get(conversation.team),
                names: others.map(({ user }) => user.name),
            }),
            isOpen,
            // A visible conversation counts as read.
            isLookedAt: isOpen && document.visibilityState === "visible",
        };
    }

    /**
     * The row that contains a node, as `{id, main, more}`; null outside of rows. A folder's row has
     * its key as `id`.
     */
    #rowOf(node) {
        const { conversationId, key } = node.closest("li")?.firstElementChild.dataset ?? {};
        const id = conversationId ?? key;
        const row = this.#rows.get(id);
        return row ? { id, main: row.main, more: row.more } : null;
    }

    #itemsFor(id) {
        if (FoldersView.isFolder(id)) return this.#groups.itemsFor(id, () => this.#rename(id));
        const conversation = this.#list.get(id);
        return conversation && this.#actions.itemsFor(conversation, {
            current: () => this.#list.get(id) ?? conversation, rename: () => this.#rename(id),
        });
    }

    #rename(id) {
        const { main } = this.#rows.get(id);
        if (FoldersView.isFolder(id)) {
            renameInPlace(main, this.#groups.nameOf(id), {
                save: (name) => this.#groups.rename(id, name), restore: () => main.focus(),
            });
            return;
        }
        const conversation = this.#list.get(id);
        if (conversation.role === "viewer") return;
        renameInPlace(main, conversation.title ?? "", {
            save: (title) => this.#actions.rename(conversation, title), restore: () => main.focus(),
        });
    }

    #followRows() {
        this.#box.addEventListener("click", ({ target }) => {
            const row = this.#rowOf(target);
            if (!row?.main.contains(target) || FoldersView.isFolder(row.id)) return;
            this.dispatchEvent(new CustomEvent("open", { detail: row.id }));
        });
        this.#box.addEventListener("focusin", ({ target }) => {
            const row = this.#rowOf(target);
            if (!row || row.id === this.#tabStop) return;
            this.#tabStop = row.id;
            this.#drawTabStop();
        });
        this.#box.addEventListener("keydown", (event) => this.#onKey(event));
    }

    /** Arrow keys move between rows; F2 renames. */
    #onKey(event) {
        const row = this.#rowOf(event.target);
        if (!row) return;
        const { parentElement: item } = row.main;
        const targets = {
            ArrowDown: item.nextElementSibling,
            ArrowUp: item.previousElementSibling,
            Home: this.#box.firstElementChild,
            End: this.#box.lastElementChild,
        };
        if (event.key === "F2") {
            event.preventDefault();
            this.#rename(row.id);
        } else if (event.key in targets) {
            event.preventDefault();
            targets[event.key]?.querySelector("button").focus();
        }
    }

    #drawTabStop() {
        // While rows are drawn, the focus may move before all of them are known.
        const keys = this.#keys.filter((key) => this.#rows.get(key));
        if (!keys.includes(this.#tabStop)) this.#tabStop = keys[0] ?? null;
        for (const key of keys) this.#rows.get(key).isTabStop = key === this.#tabStop;
    }
}
