// The browser's database with what can be read without the server. It belongs to one signed-in user:
// nothing is written unless that user's record stands in it, so that no tab that is still open writes
// after another one has signed out.

const databaseName = "stoa";
const stores = ["user", "list", "conversations"];

/** The stored user, as `{id, name, …}`; null if there is none. */
export function storedUser() {
    return quietly(async () => (await inside("readonly", ({ user }) => user.get("user"))) ?? null, null);
}

/** Removes everything: when nobody is signed in any more. */
export function wipe() {
    return quietly(() => inside("readwrite", removeAll));
}

/** Makes the database `user`'s, and removes what is another user's. */
export function claim(user) {
    return quietly(async () => {
        const known = await inside("readonly", (parts) => parts.user.get("user"));
        await inside("readwrite", (parts) => {
            if (known && known.id !== user.id) removeAll(parts);
            parts.user.put(user, "user");
        });
    });
}

/** The database of one user. */
export class OfflineStorage {
    #userID;

    constructor(user) {
        this.#userID = user.id;
    }

    /** Stores the list's rows. */
    putList(list) {
        return this.#write(({ list: store }) => store.put(list, "list"));
    }

    /** The stored list, or null. */
    list() {
        return quietly(async () => (await inside("readonly", ({ list }) => list.get("list"))) ?? null, null);
    }

    /** Stores a conversation's copy. */
    put(copy) {
        return this.#write(({ conversations }) => conversations.put(copy, copy.id));
    }

    /** The copy of a conversation, or null. */
    conversation(id) {
        const read = ({ conversations }) => conversations.get(id);
        return quietly(async () => (await inside("readonly", read)) ?? null, null);
    }

    /** All copies. */
    conversations() {
        return quietly(() => inside("readonly", ({ conversations }) => conversations.getAll()), []);
    }

    /** Removes copies. */
    remove(ids) {
        if (ids.length === 0) return Promise.resolve();
        return this.#write(({ conversations }) => {
            for (const id of ids) conversations.delete(id);
        });
    }

    /** Changes the database if it is still this user's. */
    #write(change) {
        return quietly(() => inside("readwrite", (parts) => {
            const request = parts.user.get("user");
            request.onsuccess = () => {
                if (request.result?.id === this.#userID) change(parts);
            };
        }));
    }
}

function removeAll(parts) {
    for (const name of stores) parts[name].clear();
}

/** Runs `work` in one transaction; resolves to the result of the request that it returns, if any. */
async function inside(mode, work) {
    const database = await open();
    try {
        return await new Promise((resolve, reject) => {
            const transaction = database.transaction(stores, mode);
            const parts = Object.fromEntries(stores.map((name) => [name, transaction.objectStore(name)]));
            const request = work(parts);
            transaction.oncomplete = () => resolve(request?.result);
            transaction.onabort = () => reject(transaction.error);
        });
    } finally {
        database.close();
    }
}

function open() {
    return new Promise((resolve, reject) => {
        const request = indexedDB.open(databaseName, 1);
        request.onupgradeneeded = () => {
            for (const name of stores) request.result.createObjectStore(name);
        };
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}

/** Storage may be off or full: then nothing can be read without the server, and all else works. */
async function quietly(work, otherwise) {
    try {
        return await work();
    } catch {
        return otherwise;
    }
}
