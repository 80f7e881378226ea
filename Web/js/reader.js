// Tells the server how far this user has read: the open conversation, while the page is looked at.

/** The reader of the open conversation. */
export class Reader {
    #connection;
    #list;
    #watcher;
    /** What was told last: `{id, n}`. */
    #told = { id: null, n: 0 };

    constructor(connection, list, watcher) {
        this.#connection = connection;
        this.#list = list;
        this.#watcher = watcher;
        document.addEventListener("visibilitychange", () => this.look());
        connection.addEventListener("welcome", () => {
            this.#told = { id: null, n: 0 };
        });
    }

    /** Something changed: is there something that counts as unread, and is on the screen? */
    look() {
        const { timeline, isLive } = this.#watcher;
        if (!timeline || !isLive || document.visibilityState !== "visible") return;
        const { id, n } = timeline;
        const unread = (this.#list.get(id) ?? timeline.conversation)?.unread ?? 0;
        if (unread === 0 || n === null || (this.#told.id === id && this.#told.n >= n)) return;
        const told = { id, n };
        this.#told = told;
        this.#connection.request("conversation.read", { conversation: id, n }).catch(() => {
            if (this.#told === told) this.#told = { id: null, n: 0 };
        });
    }
}
