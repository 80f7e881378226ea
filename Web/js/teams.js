// The teams of this user, and which of them the list is narrowed to.

import { randomKey } from "./checksum.js";
import { readValue, writeValue } from "./tab-storage.js";

/**
 * The teams. They dispatch "changed", and "told" (detail: an id) when the server tells of one: it changed, or
 * who is in it, or this user is in it no longer.
 */
export class Teams extends EventTarget {
    /** Whether the server knows teams, as far as that was asked. */
    isThere = false;

    #connection;
    #teams = [];
    #chosen;
    #storageName;
    /** The number that the user's list had come to when the server told of teams last. */
    #u = 0;
    #refresh = null;
    #isStale = false;

    constructor(connection, user) {
        super();
        this.#connection = connection;
        this.#storageName = `stoa.team.${user.id}`;
        this.#chosen = readValue(this.#storageName, null);
        connection.addEventListener("welcome", () => {
            this.#u = 0;
            this.refresh();
        });
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
                const { teams, u } = await this.#connection.request("team.list");
                this.isThere = true;
                if (u < this.#u) {
                    // What was told meanwhile is newer.
                    this.#isStale = true;
                } else {
                    this.#teams = teams;
                    this.#u = u;
                }
            } catch (error) {
                // What is known stays until the next connection asks.
                if (error.code === "unknown_op") this.isThere = false;
            }
        } while (this.#isStale);
        this.#changed();
    }

    #receive(event) {
        const isLeft = event.ev === "team.left";
        if (!isLeft && event.ev !== "team.changed") return;
        if (event.u <= this.#u) return;
        this.#u = event.u;
        const id = isLeft ? event.team : event.team.id;
        const others = this.#teams.filter((team) => team.id !== id);
        this.#teams = isLeft ? others : [...others, event.team]
            .sort((one, other) => one.name.localeCompare(other.name));
        this.#changed();
        this.dispatchEvent(new CustomEvent("told", { detail: id }));
    }

    #changed() {
        this.dispatchEvent(new CustomEvent("changed"));
    }
}
