// The thinking part above an answer: folded, with how long it took. It opens by itself while the model
// thinks for users who have opened one while it grew, until they close one.

import { element, setText } from "../element.js";
import { text as worded } from "../language.js";
import { showMarkdown } from "../markdown/view.js";
import { durationOf } from "../wording.js";

const storageName = "stoa.thinking.open";

/** The part of one message. */
export class ThinkingPart {
    /** The element; hidden without a thinking part. */
    node;

    #summary = element("summary", { "data-testid": "thinking-summary" });
    #text = element("div", { class: "markdown", dir: "auto", "data-testid": "thinking-text" });
    #parts = null;
    /** When this page saw it begin and end, in milliseconds; null if it did not. */
    #began = null;
    #ended = null;
    /** Whether the user has opened or closed this one. */
    #isChosen = false;

    constructor() {
        this.node = element("details", {
            class: "thinking", "data-testid": "thinking", hidden: true,
        }, [this.#summary, this.#text]);
        this.#summary.addEventListener("click", () => this.#choose(!this.node.open));
        this.node.addEventListener("toggle", () => this.#drawText());
    }

    /** Draws it. `parts` are the answer's, `isGrowing` tells whether the answer is being written. */
    show(parts, { isGrowing, usage, now = Date.now() }) {
        this.node.hidden = parts.thinking === null;
        if (parts.thinking === null) return;
        const isThinking = isGrowing && parts.isOpen;
        const wasThinking = this.#parts?.isThinking ?? false;
        if (isThinking) this.#began ??= now;
        if (wasThinking && !isThinking) this.#ended = now;
        this.#parts = { ...parts, isThinking };
        this.node.classList.toggle("is-growing", isThinking);
        setText(this.#summary, this.#title(usage));
        if (!this.#isChosen && isThinking !== wasThinking) {
            this.node.open = isThinking && opensAlone();
        }
        this.#drawText();
    }

    #title(usage) {
        const { isThinking, isOpen } = this.#parts;
        if (isThinking) return worded("message.thinking.growing");
        if (isOpen) return worded("message.thinking.cut");
        const milliseconds = usage?.thinking_ms
            ?? (this.#ended === null ? null : this.#ended - this.#began);
        if (milliseconds === null) return worded("message.thinking.done");
        const duration = durationOf(Math.max(1, Math.round(milliseconds / 1000)));
        return worded("message.thinking.done.duration", { duration });
    }

    #choose(isOpen) {
        this.#isChosen = true;
        if (!this.#parts?.isThinking) return;
        try {
            localStorage.setItem(storageName, isOpen ? "yes" : "no");
        } catch {
            // Without storage the next one begins folded.
        }
    }

    /** A folded text is not drawn: it may be long, and it grows. */
    #drawText() {
        if (!this.node.open || !this.#parts) return;
        const { thinking, isThinking } = this.#parts;
        showMarkdown(this.#text, thinking.trim(), { isGrowing: isThinking });
    }
}

function opensAlone() {
    try {
        return localStorage.getItem(storageName) === "yes";
    } catch {
        return false;
    }
}
