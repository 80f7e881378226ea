// The server's models: from `welcome`, kept up to date by events.

/** The models. Dispatches "changed". */
export class Models extends EventTarget {
    #connection;
    #models = [];

    constructor(connection) {
        super();
        this.#connection = connection;
        connection.addEventListener("welcome", ({ detail }) => {
            this.#models = detail.models ?? [];
            this.#changed();
        });
        connection.addEventListener("event", ({ detail }) => this.#receive(detail));
    }

    /** All models, the default first. */
    get all() {
        return this.#models;
    }

    /** The models that a conversation can use. */
    get choosable() {
        return this.#models.filter(({ state }) => ["ready", "loading", "standby"].includes(state));
    }

    /** The default model of conversations. */
    get default() {
        return this.#models.find((model) => model.default) ?? this.#models[0] ?? null;
    }

    /** The model of that name, or null. */
    get(name) {
        return this.#models.find((model) => model.name === name) ?? null;
    }

    /**
     * The model that answers in `conversation` (null: in a new one): its own, or the default if that is
     * not here or not loaded.
     */
    answering(conversation) {
        const own = this.get(conversation?.model);
        const isGone = own === null || own.state === "unloading" || own.state === "unloaded";
        return isGone ? this.default : own;
    }

    /**
     * What administrators need to choose a model to fetch, as `{names, memory}`: its short names, null if
     * the user may not fetch models, and the memory of the server's machine, null if it is not known.
     */
    async offers() {
        const { pullable = null, memory = null } = await this.#connection.request("model.list");
        return { names: pullable, memory };
    }

    /** What a model would need: `{name, estimate: {download_bytes, memory_bytes}}`, or a `reason`. */
    estimate(name) {
        return this.#connection.request("model.estimate", { name });
    }

    /** Loads a model into the server's memory. */
    async load(name) {
        this.#put((await this.#connection.request("model.load", { name })).model);
    }

    /** Unloads a model after its running answers. */
    async unload(name) {
        this.#put((await this.#connection.request("model.unload", { name })).model);
    }

    /** Makes a model answer in new conversations. */
    async makeDefault(name) {
        this.#put((await this.#connection.request("model.default", { name })).model);
    }

    /** Fetches a model on the server. */
    async pull(name) {
        const { model } = await this.#connection.request("model.pull", { name });
        this.#put(model);
    }

    /** Cancels a fetch, or removes a model that could not be fetched. */
    async cancel(name) {
        await this.#connection.request("model.pull.cancel", { name });
    }

    #receive(event) {
        if (event.ev === "model.changed") this.#put(event.model);
        if (event.ev === "model.removed") {
            this.#models = this.#models.filter(({ name }) => name !== event.name);
            this.#changed();
        }
    }

    #put(model) {
        const isKnown = this.get(model.name) !== null;
        const all = isKnown
            ? this.#models.map((known) => (known.name === model.name ? model : known))
            : [...this.#models, model];
        // One is the default: an event about the former one may be on its way.
        this.#models = model.default ? all.map((known) => (
            known.default && known !== model ? { ...known, default: undefined } : known)) : all;
        this.#changed();
    }

    #changed() {
        this.dispatchEvent(new CustomEvent("changed"));
    }
}

/**
 * What an administrator can do with a model that is on the server: `load`, `unload`, `makeDefault`. The
 * default stays loaded.
 */
export function actionsOf({ state, default: isDefault = false }) {
    switch (state) {
    case "ready":
    case "standby":
    case "loading": return isDefault ? [] : ["makeDefault", "unload"];
    case "unloading":
    case "unloaded": return ["load"];
    case "failed": return isDefault ? ["load"] : ["load", "unload"];
    default: return [];
    }
}
