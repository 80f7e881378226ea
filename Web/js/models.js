// The server's models as the page knows them: what `welcome` said, kept up to date by events.

/** The models. It dispatches "changed". */
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

    /** All of them, the default first. */
    get all() {
        return this.#models;
    }

    /** Those that a conversation can be given. */
    get choosable() {
        return this.#models.filter(({ state }) => state === "ready" || state === "loading");
    }

    /** The model of conversations that name none. */
    get default() {
        return this.#models.find((model) => model.default) ?? this.#models[0] ?? null;
    }

    /** The model of that name, or null. */
    get(name) {
        return this.#models.find((model) => model.name === name) ?? null;
    }

    /** The model that answers in `conversation` (null: in one that is still to be made). */
    answering(conversation) {
        return this.get(conversation?.model) ?? this.default;
    }

    /** Short names that may be fetched; null for those who may fetch none. */
    async pullable() {
        return (await this.#connection.request("model.list")).pullable ?? null;
    }

    /** Has the server fetch a model. */
    async pull(name) {
        const { model } = await this.#connection.request("model.pull", { name });
        this.#put(model);
    }

    /** Stops that, or forgets a model that could not be fetched. */
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
