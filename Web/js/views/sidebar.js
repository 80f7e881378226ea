// The list of conversations; on a phone, a drawer.

import { byId, element, icon, setText } from "../element.js";
import { briefTime, endOf, rowDetailOf, titleOf } from "../wording.js";

/** A team's list is filled automatically to this many rows, from at most this many pages of all. */
const enoughRows = 15;
const pagesToFillMax = 10;

/** The list. Dispatches "open" (detail: an id). */
export class Sidebar extends EventTarget {
    #list;
    #teams;
    #ownID;
    /** How many more pages may be loaded automatically for the selected team. */
    #pagesLeft = 0;
    #narrowedTo = null;
    #openID = null;

    /** Shows `list`, a `ConversationList`, filtered by the team selected in `teams`. */
    constructor(list, teams, user) {
        super();
        this.#list = list;
        this.#teams = teams;
        this.#ownID = user.id;
        list.addEventListener("changed", () => this.draw());
        teams.addEventListener("changed", () => this.draw());
        byId("list-more").addEventListener("click", () => list.loadMore());
        byId("conversation-list").addEventListener("click", ({ target }) => {
            const row = target.closest("[data-conversation-id]");
            if (!row) return;
            this.dispatchEvent(new CustomEvent("open", { detail: row.dataset.conversationId }));
        });
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
        const conversations = this.#list.conversations.filter(
            (conversation) => team === null || conversation.team === team.id);
        const box = byId("conversation-list");
        const focusedID = document.activeElement?.dataset?.conversationId;
        box.replaceChildren(...conversations.map((conversation) => this.#row(conversation)));
        // The rows are recreated; the keyboard focus stays at its row.
        if (focusedID) box.querySelector(`[data-conversation-id="${focusedID}"]`)?.focus();
        byId("list-more").hidden = !hasMore;
        byId("list-note").hidden = !isLoaded || conversations.length > 0;
        setText(byId("list-note"), team
            ? "The team's conversations that you are in will be listed here."
            : "Conversations will be listed here.");
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

    #row(conversation) {
        const { id, members = [], updated_at: updatedAt, running = 0 } = conversation;
        const end = conversation.expires_at;
        // A visible conversation counts as read.
        const isLookedAt = id === this.#openID && document.visibilityState === "visible";
        const unread = isLookedAt ? 0 : conversation.unread ?? 0;
        const mentions = isLookedAt ? 0 : conversation.mentions ?? 0;
        const others = members.filter(({ user }) => user.id !== this.#ownID);
        const detail = rowDetailOf({
            team: this.#teams.chosen ? null : this.#teams.get(conversation.team),
            names: others.map(({ user }) => user.name),
        });
        const attributes = {
            type: "button",
            "data-testid": "conversation-row",
            "data-conversation-id": id,
            "data-unread": unread > 0 ? String(unread) : null,
            "data-mentions": mentions > 0 ? String(mentions) : null,
            "data-running": running > 0 ? String(running) : null,
            "aria-current": id === this.#openID ? "true" : null,
        };
        return element("li", {}, [element("button", attributes, [
            element("span", { class: "title", dir: "auto" }, [titleOf(conversation)]),
            element("span", { class: "marks" }, [
                ...(conversation.pinned ? [this.#mark("pinned", "pinned", icon("pin"))] : []),
                ...(end ? [this.#mark("temporary", endOf(end), icon("clock"))] : []),
                ...(running > 0 ? [this.#mark("running", "an answer is on its way")] : []),
                ...(mentions > 0 ? [this.#mark("mentions", "you are mentioned", "@")] : []),
                ...(unread > 0 ? [this.#mark("unread", `${unread} unread`, String(unread))] : []),
                element("time", { class: "time", datetime: updatedAt }, [briefTime(updatedAt)]),
            ]),
            ...(detail ? [element("span", { class: "detail" }, [detail])] : []),
        ])]);
    }

    #mark(kind, label, content = "") {
        const attributes = { class: kind, role: "img", "aria-label": label, title: label };
        return element("span", attributes, [content]);
    }
}
