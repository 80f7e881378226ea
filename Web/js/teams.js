// The teams of this user, and which of them the list is narrowed to.

import { randomKey } from "./checksum.js";
import { readValue, writeValue } from "./tab-storage.js";

/** The teams. They dispatch "changed". */
export class Teams extends EventTarget {
    /** Whether the server knows teams, as far as that was asked. */
    isThere = false;

    #connection;
    #teams = [];
    #chosen;
    #storageName;
    #refresh = null;
    #isStale = false;

    constructor(connection, user) {
        super();
        this.#connection = connection;
        this.#storageName = `stoa.team.${user.id}`;
        this.#chosen = readValue(this.#storageName, null);
        connection.addEventListener("welcome", () => this.refresh());
        connection.addEventListener("event", ({ detail }) => this.#receive(detail));
    }

    /** All of them, by name. */
    get all() {
        return this.#teams;
    }

    /** The team that the list is narrowed to, or null. */
    get chosen() {
        return this.get(this.#chosen);
    }

    /** The id of the team that a new conversation belongs to; undefined for none. */
    get forNewConversation() {
        return this.chosen && this.chosen.role !== "viewer" ? this.chosen.id : undefined;
    }

    /** The team of that id, or null. */
    get(id) {
        return this.#teams.find((team) => team.id === id) ?? null;
    }

    /** Narrows the list to a team; null for all conversations. */
    choose(id) {
        this.#chosen = id;
        writeValue(this.#storageName, id);
        this.#changed();
    }

    /** Asks for them anew. Resolves when what was asked for last is there. */
    refresh() {
        // What is in flight may not know yet what this one is asked for.
        if (this.#refresh) this.#isStale = true;
        this.#refresh ??= this.#ask().finally(() => {
            this.#refresh = null;
        });
        return this.#refresh;
    }

    /** Makes a team, which this user owns. Resolves to it. */
    async create(name) {
        const { team } = await this.#connection.request("team.create", { key: randomKey(), name });
        await this.refresh();
        return team;
    }

    /** Joins a team by a link's token. Resolves to it. */
    async join(token) {
        const { team } = await this.#connection.request("team.join", { token });
        await this.refresh();
        return team;
    }

    async #ask() {
        do {
            this.#isStale = false;
            try {
                const { teams } = await this.#connection.request("team.list");
                this.#teams = teams;
                this.isThere = true;
            } catch (error) {
                // What is known stays until the next connection asks.
                if (error.code === "unknown_op") this.isThere = false;
            }
        } while (this.#isStale);
        this.#changed();
    }

    /** No event tells of teams, but their conversations come and go with them. */
    #receive(event) {
        if (!this.isThere) return;
        const team = event.ev === "conversation.listed" ? event.summary?.team : undefined;
        if (event.ev === "conversation.unlisted" || (team && !this.get(team))) this.refresh();
    }

    #changed() {
        this.dispatchEvent(new CustomEvent("changed"));
    }
}
