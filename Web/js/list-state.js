// What the page knows of its user's list of conversations: pages, healing replies and events go in,
// rows come out; no socket, no document, no clock. The rules are docs/reference/protocol.md's: whatever order
// things come in, of each conversation the change with the greatest number counts, and a number that
// is missing is noticed and asked for.

const spansMax = 64;
const goneMax = 1000;

/** The list, newest activity first, as far as it is loaded. */
export class ListState {
    /** The number up to which nothing was missed; null before the first page. */
    u = null;
    /** Where the next page begins; null where all is loaded. */
    cursor = null;

    /** `{u, summary}` by id; the summary is null where the conversation left the list. */
    #entries = new Map();
    /** Changes that came while one before them was missing: `{after, u}`. */
    #ahead = [];
    #announced = 0;
    /** The place of the last row that is loaded; null where all is. */
    #horizon = null;
    #pageLimit;

    /** `pageLimit`: how many rows to ask for at once, 1 to 200. */
    constructor(pageLimit) {
        this.#pageLimit = pageLimit;
    }

    /** The rows that are loaded, newest activity first. */
    get conversations() {
        const rows = [];
        for (const { summary } of this.#entries.values()) {
            if (!summary) continue;
            if (this.#horizon === null || summary.updated_at >= this.#horizon) rows.push(summary);
        }
        return rows.sort((one, other) => compare(other.updated_at, one.updated_at)
            || compare(other.id, one.id));
    }

    /** What is known of a conversation, or undefined. */
    get(id) {
        return this.#entries.get(id)?.summary ?? undefined;
    }

    /** The fields of the `conversation.list` that brings the list up to date; null where it is. */
    healingRequest() {
        if (this.u === null) return { limit: this.#pageLimit };
        if (this.#announced <= this.u && this.#ahead.length === 0) return null;
        return { limit: this.#pageLimit, after: this.u };
    }

    /** The fields of the `conversation.list` of the next page; null where all is loaded. */
    moreRequest() {
        return this.cursor === null ? null : { limit: this.#pageLimit, cursor: this.cursor };
    }

    /** Takes the number that a `welcome` names. */
    welcome(u) {
        this.#announced = u ?? 0;
    }

    /** Forgets the numbers of another epoch. What is shown stays until the first page comes. */
    forgetNumbers() {
        this.u = null;
        this.#ahead = [];
        for (const [id, entry] of this.#entries) {
            if (entry.summary) entry.u = -1;
            else this.#entries.delete(id);
        }
    }

    /**
     * Applies an event. Returns whether it changed what is known. What is told of teams bears numbers of
     * the list, and is nothing else to it.
     */
    apply(event) {
        if (event.ev === "team.changed" || event.ev === "team.left") {
            this.#cover(event.after, event.u);
            return false;
        }
        if (event.ev !== "conversation.listed" && event.ev !== "conversation.unlisted") return false;
        this.#cover(event.after, event.u);
        return this.put(event.conversation, event.u, event.summary ?? null);
    }

    /** Applies the reply of a request that this list made. Returns whether it changed anything. */
    take(reply, request) {
        if (request.cursor !== undefined) {
            // A page that was asked for before the list was loaded anew is not the next one.
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
     * Takes what is said of a conversation under the number `u`; a summary of null says that it left
     * the list. Returns whether that is newer than what is known.
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
        const last = page.conversations.at(-1);
        this.#horizon = this.cursor === null ? null : last?.updated_at ?? null;
    }

    #cover(after, u) {
        if (this.u !== null && u <= this.u) return;
        // More spans than that are dropped: the healing brings what they covered.
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

function compare(one, other) {
    if (one === other) return 0;
    return one < other ? -1 : 1;
}
