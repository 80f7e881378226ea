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
        return this.#models.filter(({ state }) => state === "ready" || state === "loading");
    }

    /** The default model of conversations. */
    get default() {
        return this.#models.find((model) => model.default) ?? this.#models[0] ?? null;
    }

    /** The model of that name, or null. */
    get(name) {
        return this.#models.find((model) => model.name === name) ?? null;
    }

    /** The model that answers in `conversation` (null: in a new one). */
    answering(conversation) {
        return this.get(conversation?.model) ?? this.default;
    }

    /** Short names of models that can be fetched; null if the user may not fetch models. */
    async pullable() {
        return (await this.#connection.request("model.list")).pullable ?? null;
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
        this.#models = isKnown
            ? this.#models.map((known) => (known.name === model.name ? model : known))
            : [...this.#models, model];
        this.#changed();
    }

    #changed() {
        this.dispatchEvent(new CustomEvent("changed"));
    }
}
