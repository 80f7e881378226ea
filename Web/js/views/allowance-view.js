// The rest of a limit, below the composer: unobtrusive until it is low.

import { allowanceOf, isLow } from "../allowance.js";
import { byId, setText } from "../element.js";

/** The line. */
export class AllowanceView {
    #allowances;
    #announcer;
    #conversation = null;
    #mayWrite = false;
    /** The last warning, so that it is announced once. */
    #warned = null;

    constructor(allowances, announcer) {
        this.#allowances = allowances;
        this.#announcer = announcer;
        allowances.addEventListener("changed", () => this.#draw());
    }

    /** Shows the rest of a limit in a conversation (null: in a new one). */
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
