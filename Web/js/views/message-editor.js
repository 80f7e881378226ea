// Edits a question in place. Enter sends, Shift+Enter inserts a line break, Escape cancels.

import { element } from "../element.js";
import { text as worded } from "../language.js";

/** The editor of one question. */
export class MessageEditor {
    /** The form. */
    node;

    #field;
    #send;
    #cancel;
    #submit = element("button", { class: "primary", "data-testid": "edit-save" }, [
        worded("common.send")]);

    /** `send(text)` resolves to whether it was accepted; `cancel()` closes the editor. */
    constructor(text, { send, cancel }) {
        this.#send = send;
        this.#cancel = cancel;
        this.#field = element("textarea", {
            "aria-label": worded("message.edit.field"), "data-testid": "edit-text", dir: "auto",
            rows: Math.min(12, text.split("\n").length + 1),
        });
        this.#field.value = text;
        const button = element("button", { type: "button", "data-testid": "edit-cancel" }, [
            worded("common.cancel")]);
        button.addEventListener("click", cancel);
        this.node = element("form", { class: "editor", "data-testid": "message-editor" }, [
            this.#field, element("div", { class: "buttons" }, [button, this.#submit]),
        ]);
        this.node.addEventListener("submit", (event) => {
            event.preventDefault();
            this.#save();
        });
        this.node.addEventListener("keydown", (event) => this.#onKey(event));
    }

    /** Puts the cursor at the end of the text. */
    focus() {
        this.#field.focus();
        this.#field.setSelectionRange(this.#field.value.length, this.#field.value.length);
    }

    #onKey(event) {
        if (event.key === "Escape") {
            // Escape closes the editor here, and must not stop the running answer.
            event.preventDefault();
            event.stopPropagation();
            this.#cancel();
        } else if (event.key === "Enter" && event.target === this.#field
            && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            this.#save();
        }
    }

    async #save() {
        const text = this.#field.value.trim();
        if (text === "" || this.#submit.disabled) return;
        this.#submit.disabled = true;
        if (!await this.#send(text)) this.#submit.disabled = false;
    }
}
