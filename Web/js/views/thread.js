// The messages of the open conversation: one row each, in order, unsent ones last. It scrolls with
// new text only for readers who are at the end already.

import { refusalOf } from "../allowance.js";
import { byId } from "../element.js";
import { focusMessage } from "../keyboard.js";
import { Bubble } from "./bubble.js";

/** Messages of one author within this time form a group. */
const groupMilliseconds = 5 * 60 * 1000;
/** After a longer pause the next message shows its time. */
const silenceMilliseconds = 45 * 60 * 1000;
const atEndPixels = 60;
const loadOlderPixels = 300;
/** A search result is looked for in at most this many older pages. */
const pagesToSearchMax = 40;

/** The thread. */
export class Thread {
    #box = byId("thread");
    #list = byId("messages");
    #rows = new Map();
    #source;
    #actions;
    #user;
    #isAtEnd = true;
    #dirty = new Set();
    #frame = null;

    /**
     * `source`: `{timeline, unsent, rights, loadOlder()}` of the open conversation, read when
     * drawing. `actions`: see `Bubble`.
     */
    constructor(user, source, actions) {
        this.#user = user;
        this.#source = source;
        this.#actions = actions;
        this.#box.addEventListener("scroll", () => this.#onScroll(), { passive: true });
        byId("jump-to-end").addEventListener("click", () => this.scrollToEnd());
        const observer = new ResizeObserver(() => this.#follow());
        observer.observe(this.#list);
        observer.observe(this.#box);
    }

    /** Clears the thread for another conversation. */
    clear() {
        this.#rows.clear();
        this.#dirty.clear();
        this.#list.replaceChildren();
        this.#isAtEnd = true;
    }

    /** Draws all rows after messages were added, removed or moved. */
    draw() {
        const hadFocus = this.#list.contains(document.activeElement);
        const wanted = this.#wantedRows();
        const keys = new Set(wanted.map(({ key }) => key));
        for (const [key, row] of this.#rows) {
            if (keys.has(key)) continue;
            row.node.remove();
            this.#rows.delete(key);
        }
        const rows = wanted.map(({ key, message }) => this.#row(key, message));
        const isShared = this.#isShared();
        this.#list.classList.toggle("is-shared", isShared);
        rows.forEach((row, index) => {
            row.place({ ...this.#grouping(rows, index), isShared, rights: this.#source.rights });
            if (this.#list.children[index] !== row.node) {
                this.#list.insertBefore(row.node, this.#list.children[index] ?? null);
            }
        });
        // The row with the focus may be gone: it moves to the last one.
        if (hadFocus && !this.#list.contains(document.activeElement)) {
            if (rows.length > 0) focusMessage(rows.at(-1).node);
            else byId("composer-text").focus();
        }
        const hasOlder = Boolean(this.#source.timeline?.hasOlder);
        byId("older-note").hidden = !hasOlder;
        this.#follow();
        // Without a scroll bar the user cannot load more by scrolling.
        if (hasOlder && this.#box.scrollHeight <= this.#box.clientHeight) this.#loadOlder();
    }

    /** Draws the rows of changed messages, before the next frame is painted. */
    update(ids) {
        for (const id of ids) this.#dirty.add(id);
        if (document.hidden) this.#drawDirty();
        else this.#frame ??= requestAnimationFrame(() => this.#drawDirty());
    }

    /** Scrolls to the newest message, and stays there. */
    scrollToEnd() {
        this.#isAtEnd = true;
        this.#follow();
    }

    /**
     * Scrolls to a message, loading older pages until it is found. Returns whether it was found.
     */
    async reveal(id) {
        for (let page = 0; page < pagesToSearchMax && !this.#rows.has(id); page += 1) {
            if (!await this.#loadOlder()) break;
        }
        const node = this.#rows.get(id)?.node;
        if (!node) return false;
        this.#isAtEnd = false;
        node.scrollIntoView({ block: "center" });
        node.classList.add("is-found");
        node.addEventListener("animationend", () => node.classList.remove("is-found"));
        return true;
    }

    /** Replaces a message by its sibling without moving the visible content. */
    swap(from, to, step, show) {
        const top = this.#rows.get(from)?.node.getBoundingClientRect().top;
        this.#isAtEnd = false;
        show();
        const row = this.#rows.get(to);
        if (!row) {
            this.reveal(to);
            return;
        }
        if (top !== undefined) {
            this.#box.scrollTop += row.node.getBoundingClientRect().top - top;
        }
        row.focusPager(step);
        this.#onScroll();
    }

    #wantedRows() {
        const { timeline, unsent } = this.#source;
        const messages = [...timeline?.messages.values() ?? []];
        return [
            ...messages.map((message) => ({ key: message.id, message })),
            ...unsent.filter((item) => !timeline?.messages.has(item.sent?.message)).map((item) => ({
                key: this.#adoptedKey(item),
                message: this.#unsentMessage(item),
            })),
        ];
    }

    /** A message keeps the row of its outbox item, so that it does not blink on arrival. */
    #adoptedKey(item) {
        const row = this.#rows.get(item.key);
        if (!item.sent) return item.key;
        if (row) {
            this.#rows.delete(item.key);
            this.#rows.set(item.sent.message, row);
        }
        return item.sent.message;
    }

    #unsentMessage(item) {
        const state = { waiting: "sending", sent: "complete", failed: "unsent" }[item.state];
        return {
            id: item.sent?.message ?? null,
            key: item.key,
            role: "user",
            author: this.#user,
            text: item.text,
            createdAt: item.createdAt,
            failure: item.failure && refusalOf(item.failure),
            state,
        };
    }

    #row(key, message) {
        const known = this.#rows.get(key);
        if (known) {
            known.update(message);
            return known;
        }
        const row = new Bubble(message, this.#user.id, this.#actions);
        if (this.#isAtEnd && this.#rows.size > 0) {
            row.node.classList.add("is-new");
            const settle = () => row.node.classList.remove("is-new");
            row.node.addEventListener("animationend", settle, { once: true });
        }
        this.#rows.set(key, row);
        return row;
    }

    #grouping(rows, index) {
        const row = rows[index];
        const belongs = (one, other) => one !== undefined && other !== undefined
            && one.speaker === other.speaker
            && Math.abs(other.time - one.time) < groupMilliseconds;
        const before = rows[index - 1];
        return {
            showsTime: before === undefined || row.time - before.time > silenceMilliseconds,
            startsGroup: !belongs(before, row),
            endsGroup: !belongs(row, rows[index + 1]),
        };
    }

    #isShared() {
        const { timeline } = this.#source;
        if ((timeline?.conversation?.members.length ?? 1) > 1) return true;
        for (const { role, author } of timeline?.messages.values() ?? []) {
            if (role === "user" && author?.id !== this.#user.id) return true;
        }
        return false;
    }

    #drawDirty() {
        cancelAnimationFrame(this.#frame);
        this.#frame = null;
        for (const id of this.#dirty) this.#rows.get(id)?.update();
        this.#dirty.clear();
        this.#follow();
    }

    #follow() {
        if (this.#isAtEnd) this.#box.scrollTop = this.#box.scrollHeight;
        byId("jump-to-end").hidden = this.#isAtEnd;
    }

    #onScroll() {
        const { scrollTop, scrollHeight, clientHeight } = this.#box;
        this.#isAtEnd = scrollHeight - scrollTop - clientHeight < atEndPixels;
        byId("jump-to-end").hidden = this.#isAtEnd;
        if (scrollTop < loadOlderPixels) this.#loadOlder();
    }

    /** Loads a page above without moving the visible content. */
    async #loadOlder() {
        const hasLoaded = await this.#source.loadOlder().catch(() => false);
        if (!hasLoaded) return false;
        const { scrollHeight, scrollTop } = this.#box;
        this.draw();
        this.#box.scrollTop = scrollTop + this.#box.scrollHeight - scrollHeight;
        return true;
    }
}
