// The branch that a read-only link shows: pages, changes and text of running answers go in, messages
// come out; no socket, no DOM. The rules are in docs/reference/protocol.md, under "Links".

import { GrowingText } from "./growing-text.js";

/** The branch, as far as it is loaded. */
export class SharedBranch {
    /** The conversation's title. */
    title = "";
    /** Whether there are older messages. */
    hasMore = false;
    /** When the link's snapshot was made; null for a live link. */
    asOf = null;

    /** Message objects by id, oldest first. */
    #messages = new Map();
    /** The text of running answers by id. */
    #growth = new Map();

    /** The messages, oldest first, with the text so far. */
    get messages() {
        return [...this.#messages.values()].map((message) => {
            const text = isRunning(message) ? this.#growth.get(message.id)?.text : undefined;
            return text === undefined ? message : { ...message, text };
        });
    }

    /** The oldest message's id, from which older pages are requested; null without messages. */
    get oldest() {
        return this.#messages.keys().next().value ?? null;
    }

    /** Applies the reply of `share.watch`: what was known is replaced, but for older pages. */
    adopt({ page, growing }) {
        this.title = page.title;
        this.asOf = page.as_of ?? null;
        const older = this.#olderThan(page.messages[0]?.id);
        if (older.length === 0) this.hasMore = page.more;
        const messages = page.messages.map((message) => [message.id, message]);
        this.#messages = new Map([...older, ...messages]);
        this.#growth.clear();
        for (const part of growing) this.#growthOf(part.message).adopt(part);
    }

    /** Prepends a page of older messages. */
    prepend(page) {
        this.hasMore = page.more;
        const older = page.messages.map((message) => [message.id, message]);
        this.#messages = new Map([...older, ...this.#messages]);
    }

    /**
     * Applies an event. Returns whether it fitted; if not, text is missing, and the branch must be
     * watched again.
     */
    apply(event) {
        if (event.ev === "share.changed") {
            this.#change(event);
            return true;
        }
        if (event.ev !== "message.delta" || !this.#messages.has(event.message)) return true;
        return this.#growthOf(event.message).append(event);
    }

    #change({ title, messages, removed = [] }) {
        this.title = title;
        for (const id of removed) this.#messages.delete(id);
        for (const message of messages) {
            this.#messages.set(message.id, message);
            if (!isRunning(message)) this.#growth.delete(message.id);
        }
    }

    /** The known messages before one: what a message follows never changes. Else an empty list. */
    #olderThan(id) {
        const known = [...this.#messages];
        return known.slice(0, Math.max(0, known.findIndex(([other]) => other === id)));
    }

    #growthOf(id) {
        if (!this.#growth.has(id)) this.#growth.set(id, new GrowingText());
        return this.#growth.get(id);
    }
}

function isRunning({ state }) {
    return state === "queued" || state === "streaming";
}
