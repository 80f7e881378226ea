// What is left of a limit, below the field where one writes: quietly, until little is left.

import { allowanceOf, isLow } from "../allowance.js";
import { byId, setText } from "../element.js";

/** The line. */
export class AllowanceView {
    #allowances;
    #announcer;
    #conversation = null;
    #mayWrite = false;
    /** What was warned of, so that it is spoken once. */
    #warned = null;

    constructor(allowances, announcer) {
        this.#allowances = allowances;
        this.#announcer = announcer;
        allowances.addEventListener("changed", () => this.#draw());
    }

    /** Shows what is left in a conversation (null: in one that is still to be made). */
    show(conversation, mayWrite) {
        this.#conversation = conversation;
        this.#mayWrite = mayWrite;
        this.#draw();
    }

    #draw() {
        const line = byId("allowance");
        const allowance = this.#mayWrite ? this.#allowances.nearest(this.#conversation) : null;
        line.hidden = allowance === null;
        if (allowance === null) return;
        const sentence = allowanceOf(allowance);
        const isWarning = isLow(allowance);
        setText(line, sentence);
        line.toggleAttribute("data-low", isWarning);
        const warned = `${allowance.holder} ${allowance.period} ${allowance.resets_at}`;
        if (isWarning && this.#warned !== warned) {
            this.#warned = warned;
            this.#announcer.say(sentence);
        }
    }
}
