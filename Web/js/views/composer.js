// The composer. Enter sends, Shift+Enter inserts a line break, Escape stops the running answer.
// While an answer runs and the field is empty, *Stop* replaces *Send*.

import { byId } from "../element.js";
import { text as worded } from "../language.js";
import { readValue, writeValue } from "../tab-storage.js";
import { utf8Length } from "../utf8.js";
import { showToast } from "./toast.js";

/** The composer. Dispatches "send" (detail: the text), "stop", and "typed" while the user types. */
export class Composer extends EventTarget {
    /** Maximum text length that the server accepts, in bytes. */
    textBytesMax = Infinity;

    #field = byId("composer-text");
    #conversation = null;
    #isGrowing = false;
    #draftsName;

    /** The composer of `user`, whose drafts it keeps. */
    constructor(user) {
        super();
        this.#draftsName = `stoa.drafts.${user.id}`;
        byId("composer").addEventListener("submit", (event) => {
            event.preventDefault();
            this.#send();
        });
        this.#field.addEventListener("input", () => {
            this.#edited();
            if (!this.isEmpty) this.dispatchEvent(new CustomEvent("typed"));
        });
        this.#field.addEventListener("keydown", (event) => this.#onKey(event));
        byId("stop").addEventListener("click", () => {
            this.dispatchEvent(new CustomEvent("stop"));
            this.#field.focus();
        });
        document.addEventListener("keydown", (event) => {
            const isElsewhere = event.defaultPrevented || document.querySelector("dialog[open]");
            if (event.key === "Escape" && !event.shiftKey && this.#isGrowing && !isElsewhere) {
                event.preventDefault();
                this.dispatchEvent(new CustomEvent("stop"));
            }
        });
    }

    /** Whether the field is empty. */
    get isEmpty() {
        return this.#field.value.trim() === "";
    }

    /** Shows the draft of a conversation (null: of a new one). */
    open(conversation) {
        this.#conversation = conversation;
        this.#field.value = readValue(this.#draftsName, {})[conversation ?? "new"] ?? "";
        this.#draw();
    }

    /** Sets whether an answer is running or queued, and whether this user may write. */
    show({ isGrowing, mayWrite }) {
        this.#isGrowing = isGrowing;
        byId("composer").hidden = !mayWrite;
        byId("read-only-note").hidden = mayWrite;
        this.#draw();
    }

    /** Focuses the field, unless that would open a phone's keyboard. */
    focus() {
        if (matchMedia("(hover: hover)").matches) this.#field.focus();
    }

    #onKey(event) {
        // Enter that confirms an input method's composition is not for us.
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        this.#send();
    }

    #send() {
        const text = this.#field.value.trim();
        if (text === "") return;
        const excess = utf8Length(text) - this.textBytesMax;
        if (excess > 0) {
            showToast(worded("composer.too-long", { count: excess }));
            return;
        }
        const event = new CustomEvent("send", { detail: text, cancelable: true });
        if (!this.dispatchEvent(event)) return;
        this.#field.value = "";
        this.#edited();
        this.#field.focus();
    }

    #edited() {
        const drafts = readValue(this.#draftsName, {});
        drafts[this.#conversation ?? "new"] = this.#field.value || undefined;
        writeValue(this.#draftsName, drafts);
        this.#draw();
    }

    #draw() {
        const stops = this.#isGrowing && this.isEmpty;
        byId("stop").hidden = !stops;
        byId("send").hidden = stops;
        // The answer that it stops then needs no button of its own.
        document.body.classList.toggle("composer-stops", stops);
        byId("send").disabled = this.isEmpty;
        this.#fitHeight();
    }

    /** Fits the field's height to its text, if the style sheet can't. */
    #fitHeight() {
        if (CSS.supports("field-sizing", "content")) return;
        this.#field.style.height = "auto";
        this.#field.style.height = `${this.#field.scrollHeight + 2}px`;
    }
}
