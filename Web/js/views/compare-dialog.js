// Two siblings side by side: two answers to a question, or two versions of a question.

import { asText, element, setText } from "../element.js";
import { text } from "../language.js";
import { showInstead, showMarkdown } from "../markdown/view.js";
import { differenceOf } from "../text-difference.js";
import { closeButton, createDialog, dialogButtons } from "./dialogs.js";

/**
 * Opens it. `siblings` are ids, oldest first; `shown` is the one in the thread; `textOf(id)` resolves
 * to a text; `show(id)` shows another one in the thread.
 */
export function openDialog({ siblings, shown, textOf, show }) {
    new CompareDialog(siblings, shown, textOf, show);
}

class CompareDialog {
    #siblings;
    #shown;
    #textOf;
    #show;
    #columns;
    /** Counts drawings, so that an older one's text is not shown. */
    #latest = 0;
    #marks = element("input", { type: "checkbox", checked: true, "data-testid": "compare-marks" });
    #note = element("p", { class: "hint", role: "status", "data-testid": "compare-note" });
    #error = element("p", { class: "form-error", role: "alert" });
    #dialog;

    constructor(siblings, shown, textOf, show) {
        this.#siblings = siblings;
        this.#shown = shown;
        this.#textOf = textOf;
        this.#show = show;
        const place = siblings.indexOf(shown);
        this.#columns = [siblings[place === 0 ? 1 : place - 1], shown]
            .sort((one, other) => siblings.indexOf(one) - siblings.indexOf(other))
            .map((id, side) => this.#column(id, side));
        this.#marks.addEventListener("change", () => this.#draw());
        this.#dialog = createDialog("compare-dialog", text("compare.heading"), [
            element("label", { class: "check" }, [this.#marks, " ", text("compare.marks")]),
            this.#note, this.#error,
            element("div", { class: "compare-columns" }, this.#columns.map(({ node }) => node)),
            dialogButtons(closeButton()),
        ]);
        this.#dialog.showModal();
        this.#draw();
    }

    #column(id, side) {
        const label = side === 0 ? text("compare.left") : text("compare.right");
        const chooser = element("select", { "aria-label": label, "data-testid": "compare-version" },
            this.#siblings.map((sibling, at) => element(
                "option", { value: sibling, selected: sibling === id },
                [text("compare.version", { number: at + 1, count: this.#siblings.length })])));
        const body = element("div", {
            class: "compare-text", dir: "auto", tabindex: 0, role: "region", "aria-label": label,
            "data-testid": "compare-text",
        });
        const show = element("button", { type: "button", "data-testid": "compare-show" });
        chooser.addEventListener("change", () => this.#draw());
        show.addEventListener("click", () => {
            this.#dialog.close();
            this.#show(chooser.value);
        });
        const head = element("div", { class: "compare-head" }, [chooser, show]);
        return { chooser, body, show, node: element("section", {}, [head, body]) };
    }

    async #draw() {
        this.#latest += 1;
        const turn = this.#latest;
        this.#error.textContent = "";
        for (const { chooser, show } of this.#columns) {
            const isShown = chooser.value === this.#shown;
            show.disabled = isShown;
            setText(show, isShown ? text("compare.shown") : text("compare.show"));
        }
        try {
            const texts = await Promise.all(
                this.#columns.map(({ chooser }) => this.#textOf(chooser.value)));
            if (turn === this.#latest) this.#drawTexts(texts);
        } catch (error) {
            if (turn === this.#latest) setText(this.#error, error.message);
        }
    }

    #drawTexts(texts) {
        setText(this.#note, texts[0] === texts[1] ? text("compare.same") : "");
        const parts = this.#marks.checked ? differenceOf(...texts) : null;
        this.#columns.forEach(({ body }, side) => {
            body.classList.toggle("markdown", !this.#marks.checked);
            if (parts) showInstead(body, asText(parts[side].map(partNode)));
            else showMarkdown(body, texts[side]);
        });
    }
}

function partNode({ text: words, differs }) {
    return differs ? element("mark", { class: "differs" }, [words]) : words;
}
