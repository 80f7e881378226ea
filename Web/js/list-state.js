// The state of the user's list of conversations: pages, changes and events go in, rows come out; no
// socket, no DOM, no clock. The rules are in docs/reference/protocol.md: messages may arrive in any
// order, for each conversation the change with the greatest number counts, and a missing number is
// detected and requested.

const spansMax = 64;
const goneMax = 1000;
const numberEvents = new Set(["team.changed", "team.left", "folders.changed"]);

/** The list, pinned conversations first, then most recent activity first, as far as it is loaded. */
export class ListState {
    /** The number up to which all changes are known; null before the first page. */
    u = null;
    /** The cursor of the next page; null if all is loaded. */
    cursor = null;

    /** `{u, summary}` by id; the summary is null if the conversation left the list. */
    #entries = new Map();
    /** Changes that arrived before a missing one: `{after, u}`. */
    #ahead = [];
    #announced = 0;
    /** The last loaded row, `{pinned, updated_at}`; null if all rows are loaded. */
    #horizon = null;
    #pageLimit;

    /** `pageLimit`: rows per page, 1 to 200. */
    constructor(pageLimit) {
        this.#pageLimit = pageLimit;
    }

    /** The loaded rows, pinned ones first, then most recent activity first. */
    get conversations() {
        const horizon = this.#horizon;
        return this.where((row) => horizon === null || comparePosition(row, horizon) <= 0);
    }

    /** The known rows that meet a condition, also those beyond the loaded pages, in the same order. */
    where(condition) {
        const rows = [];
        for (const { summary } of this.#entries.values()) {
            if (summary && condition(summary)) rows.push(summary);
        }
        return rows.sort((one, other) => comparePosition(one, other)
            || compare(other.id, one.id));
    }

    /** A conversation's row, or undefined. */
    get(id) {
        return this.#entries.get(id)?.summary ?? undefined;
    }

    /**
     * The fields of the `conversation.list` request that updates the list; null if it is up to
     * date.
     */
    resyncRequest() {
        if (this.u === null) return { limit: this.#pageLimit };
        if (this.#announced <= this.u && this.#ahead.length === 0) return null;
        return { limit: this.#pageLimit, after: this.u };
    }

    /** The fields of the `conversation.list` request for the next page; null if all is loaded. */
    moreRequest() {
        return this.cursor === null ? null : { limit: this.#pageLimit, cursor: this.cursor };
    }

    /** Applies the number in a `welcome`. */
    welcome(u) {
        this.#announced = u ?? 0;
    }

    /** Drops the numbers of a previous epoch. The rows stay until the first page arrives. */
    forgetNumbers() {
        this.u = null;
        this.#ahead = [];
        for (const [id, entry] of this.#entries) {
            if (entry.summary) entry.u = -1;
            else this.#entries.delete(id);
        }
    }

    /** Adds rows of unknown age. The first page replaces them. */
    showStored(rows) {
        for (const row of rows) {
            if (!this.#entries.has(row.id)) this.#entries.set(row.id, { u: -1, summary: row });
        }
    }

    /**
     * Applies an event. Returns whether the list changed. Events about teams and folders only carry
     * numbers of the list.
     */
    apply(event) {
        if (numberEvents.has(event.ev)) {
            this.#cover(event.after, event.u);
            return false;
        }
        if (event.ev !== "conversation.listed" && event.ev !== "conversation.unlisted") return false;
        this.#cover(event.after, event.u);
        return this.put(event.conversation, event.u, event.summary ?? null);
    }

    /** Applies the reply to a request of this list. Returns whether anything changed. */
    take(reply, request) {
        if (request.cursor !== undefined) {
            // Ignores a page that was requested before the list was reloaded.
            if (request.cursor !== this.cursor) return false;
            this.#turn(reply);
            return true;
        }
        if (request.after !== undefined && reply.reset !== true) {
            let isChanged = false;
            for (const { conversation, u } of reply.unlisted ?? []) {
                isChanged = this.put(conversation, u, null) || isChanged;
            }
            for (const summary of reply.conversations) {
                isChanged = this.put(summary.id, summary.u ?? reply.u, summary) || isChanged;
            }
            this.#cover(request.after, reply.u);
            return isChanged;
        }
        for (const [id, { u }] of this.#entries) if (u <= reply.u) this.#entries.delete(id);
        this.#turn(reply);
        this.u = Math.max(this.u ?? 0, reply.u);
        this.#closeGaps();
        return true;
    }

    /**
     * Applies the state of a conversation under the number `u`; a null summary means that it left
     * the list. Returns whether that is newer than the known state.
     */
    put(id, u, summary) {
        const known = this.#entries.get(id);
        if (known && known.u >= u) return false;
        this.#entries.set(id, { u, summary });
        if (summary === null) this.#forgetOldestGone();
        return true;
    }

    #forgetOldestGone() {
        const gone = [...this.#entries].filter(([, { summary }]) => summary === null);
        if (gone.length <= goneMax) return;
        const [oldest] = gone.sort(([, one], [, other]) => one.u - other.u);
        this.#entries.delete(oldest[0]);
    }

    #turn(page) {
        for (const summary of page.conversations) {
            this.put(summary.id, summary.u ?? page.u, summary);
        }
        this.cursor = page.cursor ?? null;
        this.#horizon = this.cursor === null ? null : page.conversations.at(-1) ?? null;
    }

    #cover(after, u) {
        if (this.u !== null && u <= this.u) return;
        // Further spans are dropped: the next resynchronization covers them.
        if (this.#ahead.length < spansMax) this.#ahead.push({ after, u });
        this.#closeGaps();
    }

    #closeGaps() {
        if (this.u === null) return;
        this.#ahead.sort((one, other) => one.after - other.after);
        while (this.#ahead.length > 0 && this.#ahead[0].after <= this.u) {
            this.u = Math.max(this.u, this.#ahead.shift().u);
        }
    }
}

/** Negative if `one` stands before `other` in the list. */
function comparePosition(one, other) {
    return (other.pinned === true) - (one.pinned === true)
        || compare(other.updated_at, one.updated_at);
}

function compare(one, other) {
    if (one === other) return 0;
    return one < other ? -1 : 1;
}
