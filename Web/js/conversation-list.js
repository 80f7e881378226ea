// The conversations that this user may see, kept in step with the server: loads pages, and asks for what
// was missed. The rules of what an event does are list-state.js's.

import { ListState } from "./list-state.js";
import { delayBefore } from "./reconnect.js";

const pageCount = 40;

/** The list. It dispatches "changed". */
export class ConversationList extends EventTarget {
    #connection;
    #state = new ListState(pageCount);
    #page = null;
    /** The healing in flight, so that one of an older connection is not taken. */
    #healing = null;
    #failures = 0;

    constructor(connection) {
        super();
        this.#connection = connection;
        connection.addEventListener("event", ({ detail }) => {
            if (this.#state.apply(detail)) this.#changed();
            this.#heal();
        });
    }

    /** Whether the first page has come. */
    get isLoaded() {
        return this.#state.u !== null;
    }

    /** What is loaded, newest activity first. */
    get conversations() {
        return this.#state.conversations;
    }

    /** Whether there are more to load. */
    get hasMore() {
        return this.#state.cursor !== null;
    }

    /** One conversation, or undefined where it isn't loaded. */
    get(id) {
        return this.#state.get(id);
    }

    /** A connection is there, and the list has come to `u`; asks for what was missed while away. */
    connected(u) {
        this.#state.welcome(u);
        this.#healing = null;
        this.#failures = 0;
        this.#heal();
    }

    /** Forgets the numbers: the server's database was restored. */
    forgetNumbers() {
        this.#state.forgetNumbers();
    }

    /** Loads the next page. */
    loadMore() {
        this.#page ??= this.#loadMore().finally(() => {
            this.#page = null;
        });
        return this.#page;
    }

    /** Puts a conversation in, as a reply told it. */
    put(conversation) {
        if (this.#state.put(conversation.id, conversation.u ?? 0, conversation)) this.#changed();
    }

    async #loadMore() {
        const request = this.#state.moreRequest();
        if (!request) return;
        try {
            const reply = await this.#connection.request("conversation.list", request);
            if (this.#state.take(reply, request)) this.#changed();
        } catch {
            // Whoever wants more asks again.
        }
    }

    async #heal() {
        const request = this.#state.healingRequest();
        if (this.#healing || !request || this.#connection.state !== "live") return;
        const healing = {};
        this.#healing = healing;
        try {
            const reply = await this.#connection.request("conversation.list", request);
            if (this.#healing !== healing) return;
            this.#failures = 0;
            if (this.#state.take(reply, request)) this.#changed();
        } catch {
            // A lost connection's return heals; any other refusal is tried again.
            if (this.#healing !== healing) return;
            this.#failures += 1;
            await new Promise((resolve) => {
                setTimeout(resolve, delayBefore(this.#failures));
            });
            if (this.#healing !== healing) return;
        }
        this.#healing = null;
        this.#heal();
    }

    #changed() {
        this.dispatchEvent(new CustomEvent("changed"));
    }
}
