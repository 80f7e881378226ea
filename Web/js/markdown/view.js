// Shows Markdown in an element, and what grows without touching what stands.

import { byNumber } from "./notes.js";
import { CodeBlock } from "./code-block.js";
import { MarkdownDocument } from "./document.js";
import { Formula } from "./formula.js";
import { patchChildren } from "./patch.js";

/** Of the time, drawing a growing text takes at most one part in this many. */
const restFactor = 4;

const views = new WeakMap();

/**
 * Shows `text` in `container`. `isGrowing`: it is drawn no more often than this device can bear.
 * `change`: makes other nodes of the tree's, see tree.js.
 */
export function showMarkdown(container, text, { isGrowing = false, change = (nodes) => nodes } = {}) {
    if (!views.has(container)) views.set(container, new MarkdownView(container));
    views.get(container).show(text, isGrowing, change);
}

/** Shows other nodes in a container that shows Markdown at other times. */
export function showInstead(container, nodes) {
    views.get(container)?.forget();
    container.replaceChildren(...nodes);
}

class MarkdownView {
    #container;
    #document = new MarkdownDocument();
    /** The nodes in the container; null while it has others than this view's. */
    #nodes = null;
    #restsUntil = 0;
    #timer = null;

    constructor(container) {
        this.#container = container;
        container.addEventListener("click", ({ target }) => byNumber(container, target)?.focus());
    }

    show(text, isGrowing, change) {
        clearTimeout(this.#timer);
        const rest = this.#restsUntil - performance.now();
        if (isGrowing && rest > 0) {
            this.#timer = setTimeout(() => this.#draw(text, isGrowing, change), rest);
        } else {
            this.#draw(text, isGrowing, change);
        }
    }

    /** Its nodes are not in the container any more. */
    forget() {
        clearTimeout(this.#timer);
        this.#nodes = null;
    }

    #draw(text, isGrowing, change) {
        const start = performance.now();
        const nodes = change(this.#document.nodes(text));
        if (!this.#nodes) this.#container.replaceChildren();
        patchChildren(this.#container, this.#nodes ?? [], nodes, (node) => partOf(node, isGrowing));
        this.#nodes = nodes;
        const end = performance.now();
        this.#restsUntil = end + (end - start) * restFactor;
    }
}

function partOf(node, isGrowing) {
    return node.part === "code" ? new CodeBlock(node, isGrowing) : new Formula(node);
}
