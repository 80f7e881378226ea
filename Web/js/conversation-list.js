// The conversations that this user can see, kept up to date: loads pages, and requests missed changes.
// list-state.js applies the events.

import { ListState } from "./list-state.js";
import { delayBefore } from "./reconnect.js";

const pageCount = 40;
const filteredPageCount = 200;

/**
 * The list. Dispatches "changed", and "row" (detail: `{before, after}`, rows; `before` is undefined for
 * a new one) when an event changed a conversation.
 */
export class ConversationList extends EventTarget {
    #connection;
    #state = new ListState(pageCount);
    #page = null;
    /** The request in flight, so that a reply to an older connection's is ignored. */
    #request = null;
    #failures = 0;

    constructor(connection) {
        super();
        this.#connection = connection;
        connection.addEventListener("event", ({ detail }) => {
            const before = this.#state.get(detail.conversation);
            if (this.#state.apply(detail)) {
                this.#changed();
                this.#report(before, detail.summary);
            }
            this.#resync();
        });
    }

    /** Whether the first page has been loaded. */
    get isLoaded() {
        return this.#state.u !== null;
    }

    /** The loaded rows, most recent activity first. */
    get conversations() {
        return this.#state.conversations;
    }

    /** The known rows that meet a condition, also those beyond the loaded pages. */
    where(condition) {
        return this.#state.where(condition);
    }

    /** Whether there are more to load. */
    get hasMore() {
        return this.#state.cursor !== null;
    }

    /** A conversation, or undefined if it isn't loaded. */
    get(id) {
        return this.#state.get(id);
    }

    /** Called when connected; the list's current number is `u`. Requests missed changes. */
    connected(u) {
        this.#state.welcome(u);
        this.#request = null;
        this.#failures = 0;
        this.#resync();
    }

    /** Drops the numbers: the server's database was restored. */
    forgetNumbers() {
        this.#state.forgetNumbers();
    }

    /** Shows rows that this device stored, until the first page arrives. */
    showStored(rows) {
        if (this.isLoaded) return;
        this.#state.showStored(rows);
        this.#changed();
    }

    /** Loads the next page. */
    loadMore() {
        this.#page ??= this.#loadMore().finally(() => {
            this.#page = null;
        });
        return this.#page;
    }

    /** Adds a conversation from a reply. */
    put(conversation) {
        if (this.#state.put(conversation.id, conversation.u ?? 0, conversation)) this.#changed();
    }

    /**
     * Loads all conversations that a filter of `conversation.list` selects, also those beyond the
     * loaded pages. Resolves to whether that succeeded.
     */
    async load(filter) {
        let cursor;
        try {
            do {
                const reply = await this.#connection.request(
                    "conversation.list", { ...filter, cursor, limit: filteredPageCount });
                for (const row of reply.conversations) this.#state.put(row.id, row.u ?? 0, row);
                this.#changed();
                cursor = reply.cursor;
            } while (cursor !== undefined);
            return true;
        } catch {
            return false;
        }
    }

    async #loadMore() {
        const request = this.#state.moreRequest();
        if (!request) return;
        try {
            const reply = await this.#connection.request("conversation.list", request);
            if (this.#state.take(reply, request)) this.#changed();
        } catch {
            // The caller can try again.
        }
    }

    async #resync() {
        const request = this.#state.resyncRequest();
        if (this.#request || !request || this.#connection.state !== "live") return;
        const token = {};
        this.#request = token;
        try {
            const reply = await this.#connection.request("conversation.list", request);
            if (this.#request !== token) return;
            this.#failures = 0;
            if (this.#state.take(reply, request)) this.#changed();
        } catch {
            // After a lost connection the reconnect resynchronizes; other failures are retried.
            if (this.#request !== token) return;
            this.#failures += 1;
            await new Promise((resolve) => {
                setTimeout(resolve, delayBefore(this.#failures));
            });
            if (this.#request !== token) return;
        }
        this.#request = null;
        this.#resync();
    }

    #report(before, after) {
        if (!after) return;
        this.dispatchEvent(new CustomEvent("row", { detail: { before, after } }));
    }

    #changed() {
        this.dispatchEvent(new CustomEvent("changed"));
    }
}
