// The conversations that this user may see, newest activity first, as far as they are loaded.

const pageCount = 40;
/** After a reconnect as many are loaded again as were there, up to this many. */
const reloadedMax = 400;

/** The list. It dispatches "changed". */
export class ConversationList extends EventTarget {
    /** Whether the first page has come. */
    isLoaded = false;

    #connection;
    #byId = new Map();
    #cursor = null;
    #loading = null;

    constructor(connection) {
        super();
        this.#connection = connection;
        connection.addEventListener("event", ({ detail }) => this.#receive(detail));
    }

    /** What is loaded, newest activity first. */
    get conversations() {
        return [...this.#byId.values()].sort(
            (one, other) => other.updated_at.localeCompare(one.updated_at));
    }

    /** Whether there are more to load. */
    get hasMore() {
        return this.#cursor !== null;
    }

    /** One conversation, or undefined where it isn't loaded. */
    get(id) {
        return this.#byId.get(id);
    }

    /** Loads the list anew: what was missed while away is in it. */
    reload() {
        return this.#loadOnce(async () => {
            const wanted = Math.min(Math.max(this.#byId.size, pageCount), reloadedMax);
            const loaded = new Map();
            let cursor = null;
            do {
                const page = await this.#page(cursor);
                for (const conversation of page.conversations) {
                    loaded.set(conversation.id, conversation);
                }
                cursor = page.cursor ?? null;
            } while (cursor !== null && loaded.size < wanted);
            this.#byId = loaded;
            this.#cursor = cursor;
            this.isLoaded = true;
        });
    }

    /** Loads the next page. */
    loadMore() {
        if (!this.hasMore) return Promise.resolve();
        return this.#loadOnce(async () => {
            const page = await this.#page(this.#cursor);
            for (const conversation of page.conversations) {
                this.#byId.set(conversation.id, conversation);
            }
            this.#cursor = page.cursor ?? null;
        });
    }

    /** Puts a conversation in, or what is known of it anew. */
    put(conversation) {
        this.#byId.set(conversation.id, { ...this.#byId.get(conversation.id), ...conversation });
        this.#changed();
    }

    /** Takes a conversation out. */
    remove(id) {
        if (this.#byId.delete(id)) this.#changed();
    }

    #page(cursor) {
        const fields = cursor === null ? { limit: pageCount } : { limit: pageCount, cursor };
        return this.#connection.request("conversation.list", fields);
    }

    #loadOnce(load) {
        this.#loading ??= load()
            .then(() => this.#changed())
            // A lost connection's return loads again; nothing else is worth telling here.
            .catch(() => {})
            .finally(() => {
                this.#loading = null;
            });
        return this.#loading;
    }

    #receive(event) {
        if (event.ev === "conversation.listed") this.put(event.summary);
        if (event.ev === "conversation.unlisted") this.remove(event.conversation);
        if (event.ev === "conversation.deleted") this.remove(event.conversation);
    }

    #changed() {
        this.dispatchEvent(new CustomEvent("changed"));
    }
}
