// A formula: MathML by KaTeX, which is loaded with the first one; until then, and where KaTeX finds a
// mistake, its source.

import { withVisibleMarks } from "../direction.js";
import { element, mathElement, setText } from "../element.js";
import { mathTree } from "./math-tree.js";

let library = null;

/** Draws a node `{part: "formula", text, isDisplayed, isOpen}`. */
export class Formula {
    /** The element. */
    node;

    #formula;

    constructor(formula) {
        this.node = element("span");
        this.#draw(formula);
    }

    /** Shows the node's new text. */
    update(formula) {
        const { text, isDisplayed, isOpen } = this.#formula;
        const isSame = text === formula.text && isDisplayed === formula.isDisplayed
            && isOpen === formula.isOpen;
        if (!isSame) this.#draw(formula);
    }

    #draw(formula) {
        this.#formula = formula;
        this.node.className = formula.isDisplayed ? "formula is-displayed" : "formula";
        // Wide formulas scroll in their own box.
        this.node.tabIndex = formula.isDisplayed ? 0 : -1;
        if (!formula.isDisplayed) this.node.removeAttribute("tabindex");
        if (formula.isOpen) {
            this.#showSource();
        } else if (library?.katex) {
            this.#typeset(library.katex);
        } else {
            this.#showSource();
            this.#load();
        }
    }

    async #load() {
        const drawn = this.#formula;
        try {
            library ??= { loading: import("../libraries/katex.js") };
            library.katex = (await library.loading).katex;
        } catch {
            // Without a connection the source stays; the next formula tries again.
            library = null;
            return;
        }
        if (this.#formula === drawn) this.#typeset(library.katex);
    }

    #typeset(katex) {
        const tree = mathTree(katex, this.#formula);
        if (tree) this.node.replaceChildren(made(tree));
        else this.#showSource();
    }

    /** The source in one text node, which grows. */
    #showSource() {
        const text = withVisibleMarks(this.#formula.text);
        const shown = this.node.firstChild;
        const source = shown?.localName === "code" ? shown : element("code");
        if (source.firstChild && text.startsWith(source.firstChild.data)) {
            source.firstChild.appendData(text.slice(source.firstChild.data.length));
        } else {
            setText(source, text);
        }
        if (source !== shown) this.node.replaceChildren(source);
    }
}

function made(node) {
    return typeof node === "string" ? node
        : mathElement(node.name, node.attributes, node.children.map(made));
}
