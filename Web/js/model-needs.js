// What the model needs whose name is being typed: known models at once, others by the server's estimate.

import { setText } from "./element.js";
import { text } from "./language.js";
import { estimateOf, isKnownModel, memoryOf } from "./machine-memory.js";

/** How long a name must stay the same before the server asks the hub about it. */
const pauseMilliseconds = 700;

/** A name as the hub has it: an organization and a model. */
const fullName = /^[\w.-]+\/[\w.-]+$/;

/** Draws the needs of the model that is named in a field into two paragraphs. */
export class ModelNeeds {
    #models;
    #input;
    #note;
    #warning;
    #names = [];
    #machine = null;
    #timer;
    /** Replies of the server, by name. */
    #replies = new Map();

    /** `note` gets what the model needs, `warning` whether that is too much. */
    constructor(models, { input, note, warning }) {
        this.#models = models;
        this.#input = input;
        this.#note = note;
        this.#warning = warning;
        input.addEventListener("input", () => this.draw());
    }

    /** The server's short names, and the memory of its machine; null if it is not known. */
    offer({ names, memory }) {
        this.#names = names ?? [];
        this.#machine = memory;
        this.draw();
    }

    /** Draws what is known of the name in the field, and asks for what is not. */
    draw() {
        clearTimeout(this.#timer);
        const name = this.#input.value.trim();
        const isModel = this.#names.includes(name) || fullName.test(name);
        if (isKnownModel(name) || !isModel) return this.#show(memoryOf(name, this.#machine));
        const reply = this.#replies.get(name);
        if (reply) return this.#show(estimateOf(reply, this.#machine));
        this.#show({ note: "", warning: "" });
        this.#timer = setTimeout(() => this.#ask(name), pauseMilliseconds);
    }

    async #ask(name) {
        this.#show({ note: text("machine.asking", { name }), warning: "" });
        let reply;
        try {
            reply = await this.#models.estimate(name);
            this.#replies.set(name, reply);
        } catch (error) {
            // Not remembered: the next time may be better.
            reply = { name, reason: error.message };
        }
        if (this.#input.value.trim() === name) this.#show(estimateOf(reply, this.#machine));
    }

    #show({ note, warning }) {
        setText(this.#note, note);
        setText(this.#warning, warning);
    }
}
