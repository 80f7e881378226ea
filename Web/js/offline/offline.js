// Stores the list and the conversations that were read last, and shows them while the server cannot be
// reached.

import { conversationsMax, copyOf, restore, rowsToStore, surplus } from "./copies.js";
import { OfflineStorage } from "./storage.js";

/** Changes within this time are stored together. */
const pauseMilliseconds = 1_500;

/**
 * The copies of one user. Dispatches "shown" (detail: `{at}`) when the open conversation is a copy
 * that was stored at `at`, in milliseconds (null: there is none), and "current" when it is not a copy.
 */
export class Offline extends EventTarget {
    #connection;
    #list;
    #watcher;
    #storage;
    /** Whether the last attempt to connect failed. */
    #isUnreachable = false;
    #timers = new Map();
    /** `{id, n}` of the last stored conversation: partial text does not change the number. */
    #stored = { id: null, n: null };

    constructor({ connection, list, watcher, user }) {
        super();
        this.#connection = connection;
        this.#list = list;
        this.#watcher = watcher;
        this.#storage = new OfflineStorage(user);
        this.#followChanges();
        this.#followConnection();
    }

    #followChanges() {
        this.#list.addEventListener("changed", () => {
            if (this.#connection.state === "live") this.#soon("list", () => this.#storeList());
        });
        const store = () => {
            if (this.#watcher.isLive) this.#soon("conversation", () => this.#storeConversation());
        };
        this.#watcher.addEventListener("changed", store);
        this.#watcher.addEventListener("caught-up", () => {
            store();
            this.dispatchEvent(new CustomEvent("current"));
        });
        this.#watcher.addEventListener("gone", ({ detail }) => {
            this.#storage.remove([detail.conversation]);
        });
        this.#watcher.addEventListener("opened", () => {
            if (this.#isUnreachable) this.#showConversation();
            else this.dispatchEvent(new CustomEvent("current"));
        });
    }

    #followConnection() {
        this.#connection.addEventListener("state", () => {
            const { state } = this.#connection;
            if (state === "live") {
                this.#isUnreachable = false;
                // A sign-out in another tab may have removed the copies.
                this.#stored = { id: null, n: null };
            }
            if (state !== "waiting" || this.#isUnreachable) return;
            this.#isUnreachable = true;
            this.#showList();
            this.#showConversation();
        });
    }

    /** Runs `work` after a pause, once for all calls meanwhile. */
    #soon(name, work) {
        if (this.#timers.has(name)) return;
        this.#timers.set(name, setTimeout(() => {
            this.#timers.delete(name);
            work();
        }, pauseMilliseconds));
    }

    async #storeList() {
        if (!this.#list.isLoaded) return;
        const rows = rowsToStore(this.#list.conversations);
        await this.#storage.putList({ at: Date.now(), rows });
        await this.#storage.remove(surplus(await this.#storage.conversations(), rows));
    }

    async #storeConversation() {
        const { timeline } = this.#watcher;
        if (timeline?.id === this.#stored.id && timeline?.n === this.#stored.n) return;
        const copy = timeline && copyOf(timeline, Date.now());
        if (!copy) return;
        this.#stored = { id: timeline.id, n: timeline.n };
        await this.#storage.put(copy);
        const copies = await this.#storage.conversations();
        if (copies.length > conversationsMax) await this.#storeList();
    }

    async #showList() {
        if (this.#list.isLoaded) return;
        const list = await this.#storage.list();
        if (list && this.#isUnreachable) this.#list.showStored(list.rows);
    }

    async #showConversation() {
        const { timeline } = this.#watcher;
        if (!timeline || timeline.n !== null) {
            this.dispatchEvent(new CustomEvent("current"));
            return;
        }
        const copy = await this.#storage.conversation(timeline.id);
        const isWanted = this.#isUnreachable && this.#watcher.timeline === timeline && timeline.n === null;
        if (!isWanted) return;
        if (copy) this.#watcher.update((empty) => restore(empty, copy));
        const detail = { at: copy?.at ?? null };
        this.dispatchEvent(new CustomEvent("shown", { detail }));
    }
}
