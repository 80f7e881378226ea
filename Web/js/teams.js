// The user's teams, and the one that filters the list.

import { randomKey } from "./checksum.js";
import { compareNames } from "./language.js";
import { readValue, writeValue } from "./tab-storage.js";

/**
 * The teams. Dispatches "changed", and "updated" (detail: an id) when an event reports that a team or
 * its members changed, or that this user left it.
 */
export class Teams extends EventTarget {
    /** Whether the server supports teams, as far as known. */
    isSupported = false;

    #connection;
    #teams = [];
    #chosen;
    #storageName;
    /** The list number of the last team event. */
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

    /** All teams, by name. */
    get all() {
        return this.#teams;
    }

    /** The team that filters the list, or null. */
    get chosen() {
        return this.get(this.#chosen);
    }

    /** The id of the team of a new conversation; undefined for none. */
    get forNewConversation() {
        return this.chosen && this.chosen.role !== "viewer" ? this.chosen.id : undefined;
    }

    /** The team with that id, or null. */
    get(id) {
        return this.#teams.find((team) => team.id === id) ?? null;
    }

    /** Filters the list by a team; null for all conversations. */
    choose(id) {
        this.#chosen = id;
        writeValue(this.#storageName, id);
        this.#changed();
    }

    /** Requests the teams again. Resolves when the newest request is done. */
    refresh() {
        // The request in flight may not contain the change yet.
        if (this.#refresh) this.#isStale = true;
        this.#refresh ??= this.#ask().finally(() => {
            this.#refresh = null;
        });
        return this.#refresh;
    }

    /** Creates a team owned by this user. Resolves to it. */
    async create(name) {
        const { team } = await this.#connection.request("team.create", { key: randomKey(), name });
        await this.refresh();
        return team;
    }

    /** Joins a team with a link's token. Resolves to it. */
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
                this.isSupported = true;
                if (u < this.#u) {
                    // An event in the meantime is newer.
                    this.#isStale = true;
                } else {
                    this.#teams = teams;
                    this.#u = u;
                }
            } catch (error) {
                // The known teams stay until the next connection.
                if (error.code === "unknown_op") this.isSupported = false;
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
            .sort((one, other) => compareNames(one.name, other.name));
        this.#changed();
        this.dispatchEvent(new CustomEvent("updated", { detail: id }));
    }

    #changed() {
        this.dispatchEvent(new CustomEvent("changed"));
    }
}
