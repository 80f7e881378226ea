// The text in a bubble: formatted, with mentions; above an answer its thinking part; typing dots before
// an answer's first word; for questions also their source. Long questions are folded.

import { asText, element, setText } from "../element.js";
import { text as worded } from "../language.js";
import { showInstead, showMarkdown } from "../markdown/view.js";
import { withMentions } from "../mentions.js";
import { partsOf } from "../thinking.js";
import { ThinkingPart } from "./thinking-part.js";

/** Longer questions are folded; mostly they are pasted. */
const charactersMax = 2_000;
const linesMax = 40;
/** Elements of a text without formatting. */
const plain = new Set(["p", "br"]);

/** The text of one message. */
export class MessageText {
    /** The element. */
    node = element("div");
    /** Whether nothing is shown, but typing dots. */
    isEmpty = true;
    /** Whether formatting changes how the text looks. */
    hasFormat = false;
    /** Whether the source is shown. */
    isSource = false;

    #thinking = new ThinkingPart();
    #text = element("div");
    #kind = null;
    #signature = null;
    #fold = element("button", { type: "button", class: "fold-text", hidden: true });

    constructor() {
        this.node.append(this.#thinking.node, this.#text, this.#fold);
        this.#fold.addEventListener("click", () => {
            this.node.classList.toggle("is-folded");
            this.#drawFold();
        });
    }

    /** Draws a message's text. An unchanged one is not redrawn, which keeps the selection in it. */
    show(message, ownID) {
        const { role, mentions = [], isPending } = message;
        const parts = role === "assistant"
            ? partsOf(message.text, isPending) : { thinking: null, answer: message.text };
        const text = parts.answer;
        const hasThinking = parts.thinking !== null;
        const isWordless = role === "assistant" && text === "";
        this.#thinking.show(parts, { isGrowing: isPending, usage: message.usage });
        this.isEmpty = isWordless && !hasThinking;
        this.#setKind(isWordless ? "dots" : this.isSource ? "plain-text" : "markdown");
        // Its own line says that the model thinks.
        this.#text.hidden = isWordless && hasThinking && (parts.isOpen || !isPending);
        const signature = `${this.isSource} ${isPending} ${mentions.length} ${text}`;
        if (signature === this.#signature) return;
        const isFirst = this.#signature === null;
        this.#signature = signature;
        if (isWordless) return;
        if (this.isSource) showInstead(this.#text, asText([text]));
        else this.#showFormatted(text, message, ownID);
        if (isFirst && role !== "assistant") this.#foldLong(text);
    }

    /** Shows the source instead, or the formatted text again. */
    turn(message, ownID) {
        this.isSource = !this.isSource;
        this.show(message, ownID);
    }

    #showFormatted(text, { mentions = [], isPending }, ownID) {
        showMarkdown(this.#text, text, {
            isGrowing: isPending,
            change: (nodes) => {
                this.hasFormat = !nodes.every(isPlain);
                return withMentions(nodes, mentions, ownID);
            },
        });
    }

    #setKind(kind) {
        if (this.#kind === kind) return;
        this.#kind = kind;
        const attributes = { class: kind, "data-testid": "message-text", dir: "auto" };
        const made = element("div", attributes, kind === "dots" ? dots() : []);
        this.#text.replaceWith(made);
        this.#text = made;
    }

    #foldLong(text) {
        const isLong = text.length > charactersMax || text.split("\n").length > linesMax;
        this.node.classList.toggle("is-folded", isLong);
        this.#fold.hidden = !isLong;
        this.#drawFold();
    }

    #drawFold() {
        const isFolded = this.node.classList.contains("is-folded");
        this.#fold.setAttribute("aria-expanded", String(!isFolded));
        setText(this.#fold, worded(isFolded ? "message.showAll" : "message.showLess"));
    }
}

function isPlain(node) {
    if (typeof node === "string") return true;
    return plain.has(node.name) && node.children.every(isPlain);
}

/** Typing dots, and their text for screen readers. */
function dots() {
    const words = element("i", { class: "visually-hidden" }, [worded("message.thinking")]);
    return [element("span"), element("span"), element("span"), words];
}
