// The model of the open conversation. Hidden if there is only one model, or if the user may not write.

import { byId, element, setAttribute } from "../element.js";
import { text } from "../language.js";
import { showToast } from "./toast.js";

/** The chooser. */
export class ModelChooser {
    #connection;
    #models;
    #select = byId("model-chooser");
    #conversation = null;
    #mayWrite = false;
    /** The model selected for a new conversation. */
    #chosen = null;
    #signature = null;

    constructor(connection, models) {
        this.#connection = connection;
        this.#models = models;
        this.#select.addEventListener("change", () => this.choose(this.#select.value));
        models.addEventListener("changed", () => this.#draw());
    }

    /** The model for a new conversation; undefined selects the server's default. */
    get forNewConversation() {
        const isKnown = this.#models.choosable.some(({ name }) => name === this.#chosen);
        return isKnown ? this.#chosen : undefined;
    }

    /** Whether the model is shown here. */
    get isShown() {
        return !this.#select.hidden;
    }

    /** Shows the model of a conversation (null: of a new one). */
    show(conversation, mayWrite) {
        this.#conversation = conversation;
        this.#mayWrite = mayWrite;
        this.#draw();
    }

    /** Makes a model answer in the shown conversation. */
    async choose(model) {
        if (this.#conversation === null) {
            this.#chosen = model;
            this.#draw();
            return;
        }
        try {
            await this.#connection.request(
                "conversation.update", { conversation: this.#conversation.id, model });
        } catch (error) {
            showToast(error.message);
            this.#signature = null;
            this.#draw();
        }
    }

    #draw() {
        const answering = this.#models.answering(this.#conversation);
        const current = this.#conversation?.model ?? this.#chosen ?? answering?.name ?? "";
        const names = this.#models.choosable.map(({ name }) => name);
        if (current && !names.includes(current)) names.push(current);
        this.#select.hidden = !this.#mayWrite || names.length < 2;
        // An open list must not be rebuilt under the pointer.
        const signature = JSON.stringify([names, current]);
        if (signature === this.#signature) return;
        this.#signature = signature;
        this.#select.replaceChildren(...names.map((name) => element(
            "option", { value: name, selected: name === current }, [shortName(name)])));
        this.#select.value = current;
        setAttribute(this.#select, "title", text("model.title", { name: current }));
    }
}

/** A model's name without its organisation. */
function shortName(name) {
    return name.split("/").at(-1);
}
