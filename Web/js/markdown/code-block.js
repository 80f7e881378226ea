// A block of code with its buttons. Code that grows keeps its nodes: new text is appended, and colours
// are added a little later.

import { copyText } from "../clipboard.js";
import { element, setAttribute, setText } from "../element.js";
import { text as worded } from "../language.js";
import { fileNameOf } from "./code-languages.js";
import { canHighlight, highlighted, loadHighlighting } from "./highlighting.js";
import { patchChildren } from "./patch.js";

/** Longer code is folded. */
const linesMax = 30;
const colourDelayMilliseconds = 150;
const shownMilliseconds = 1500;

/** Draws a node `{part: "code", language, fileName, text}`. */
export class CodeBlock {
    /** The element. */
    node;

    #code;
    #shown = [];
    #source = element("code");
    #name = element("span", { class: "code-name" });
    #download;
    #fold;
    #note = element("p", { class: "code-note", hidden: true });
    #timer = null;

    /** `isGrowing`: code that users watch growing stays unfolded. */
    constructor(code, isGrowing) {
        this.#code = code;
        const pre = element("pre", { tabindex: 0 }, [this.#source]);
        this.#download = button("download-code", worded("code.download"), () => this.#save());
        this.#fold = button("fold-code", "", () => this.#toggle());
        this.node = element("div", { class: "code-block" }, [
            element("div", { class: "code-head" }, [
                this.#name, this.#wrapButton(), this.#download, this.#copyButton()]),
            this.#note, pre, this.#fold]);
        this.#drawHead();
        this.#draw(code);
        const lines = code.text.split("\n").length;
        this.node.classList.toggle("is-folded", !isGrowing && lines > linesMax);
        this.#fold.hidden = isGrowing || lines <= linesMax;
        this.#drawFold();
    }

    /** Shows the node's new text. */
    update(code) {
        const { language, fileName } = this.#code;
        this.#draw(code);
        if (code.language !== language || code.fileName !== fileName) this.#drawHead();
    }

    #draw(code) {
        const isSameCode = this.#shown.length > 0 && code.language === this.#code.language;
        if (isSameCode && code.text === this.#code.text) return;
        const isGrown = isSameCode && code.text.startsWith(this.#code.text);
        const added = isGrown ? code.text.slice(this.#code.text.length) : code.text;
        this.#code = code;
        this.#show(isGrown ? appended(this.#shown, added) : [added]);
        this.#scheduleColours();
    }

    #drawHead() {
        const { language } = this.#code;
        setText(this.#name, language || worded("code.plain"));
        setAttribute(this.#download, "aria-label",
            worded("code.downloadName", { name: fileNameOf(this.#code) }));
        this.#note.hidden = language.toLowerCase() !== "mermaid";
        setText(this.#note, this.#note.hidden ? "" : worded("code.diagram"));
    }

    #show(nodes) {
        patchChildren(this.#source, this.#shown, nodes, null);
        this.#shown = nodes;
    }

    #scheduleColours() {
        if (this.#timer !== null || !canHighlight(this.#code.language, this.#code.text)) return;
        this.#timer = setTimeout(() => this.#colour(), colourDelayMilliseconds);
    }

    async #colour() {
        const prism = await loadHighlighting().catch(() => null);
        this.#timer = null;
        const { language, text } = this.#code;
        if (prism && canHighlight(language, text)) this.#show(highlighted(prism, language, text));
    }

    #toggle() {
        this.node.classList.toggle("is-folded");
        this.#drawFold();
    }

    #drawFold() {
        const isFolded = this.node.classList.contains("is-folded");
        const count = this.#code.text.split("\n").length;
        this.#fold.setAttribute("aria-expanded", String(!isFolded));
        setText(this.#fold, isFolded ? worded("code.more", { count }) : worded("code.less"));
    }

    #wrapButton() {
        const made = button("wrap-code", worded("code.wrap"), () => {
            const isWrapped = this.node.classList.toggle("is-wrapped");
            made.setAttribute("aria-pressed", String(isWrapped));
        });
        setAttribute(made, "aria-label", worded("code.wrapName"));
        made.setAttribute("aria-pressed", "false");
        return made;
    }

    #copyButton() {
        const made = button("copy-code", worded("common.copy"), async () => {
            const isCopied = await copyText(this.#code.text);
            setText(made, worded(isCopied ? "common.copied" : "common.not-copied"));
            setTimeout(() => setText(made, worded("common.copy")), shownMilliseconds);
        });
        return made;
    }

    #save() {
        const address = URL.createObjectURL(new Blob([`${this.#code.text}\n`], { type: "text/plain" }));
        const link = element("a", { href: address, download: fileNameOf(this.#code) });
        link.click();
        // The browser has begun to read it by then.
        setTimeout(() => URL.revokeObjectURL(address), 10_000);
    }
}

/** The nodes with `added` at their end. */
function appended(nodes, added) {
    const last = nodes.at(-1);
    return typeof last === "string" ? [...nodes.slice(0, -1), last + added] : [...nodes, added];
}

function button(name, label, action) {
    const made = element("button", { type: "button", class: name }, [label]);
    made.addEventListener("click", action);
    return made;
}
