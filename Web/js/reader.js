// Reports to the server how far this user has read the open conversation, while the page is
// visible.

/** Reports read positions of the open conversation. */
export class Reader {
    #connection;
    #list;
    #watcher;
    /** The last report: `{id, n}`. */
    #reported = { id: null, n: 0 };

    constructor(connection, list, watcher) {
        this.#connection = connection;
        this.#list = list;
        this.#watcher = watcher;
        document.addEventListener("visibilitychange", () => this.look());
        connection.addEventListener("welcome", () => {
            this.#reported = { id: null, n: 0 };
        });
    }

    /** Called after a change: reports unread messages that are on the screen. */
    look() {
        const { timeline, isLive } = this.#watcher;
        if (!timeline || !isLive || document.visibilityState !== "visible") return;
        const { id, n } = timeline;
        const unread = (this.#list.get(id) ?? timeline.conversation)?.unread ?? 0;
        if (unread === 0 || n === null || (this.#reported.id === id && this.#reported.n >= n)) return;
        const report = { id, n };
        this.#reported = report;
        this.#connection.request("conversation.read", { conversation: id, n }).catch(() => {
            if (this.#reported === report) this.#reported = { id: null, n: 0 };
        });
    }
}
