// The model's input for an answer: each part with its tokens, and what was left out.

import { receiptOf } from "../backend.js";
import { byId, element, setText } from "../element.js";
import { text as worded } from "../language.js";
import { givenOf } from "../receipt.js";
import { chargeOf } from "../wording.js";

/** The dialog that shows an answer's receipt. */
export class ReceiptDialog {
    #timeline;

    /** `timeline`: a function that returns the open conversation's timeline. */
    constructor(timeline) {
        this.#timeline = timeline;
    }

    /** Opens it for an answer of the open conversation. */
    async open(message) {
        const timeline = this.#timeline();
        byId("receipt-lead").textContent = "";
        byId("receipt-rows").replaceChildren();
        byId("receipt-error").textContent = "";
        byId("receipt-dialog").showModal();
        try {
            const receipt = await receiptOf(timeline.id, message.id);
            this.#show(givenOf(receipt, (id) => timeline.messages.get(id)), chargeOf(message.usage ?? {}));
        } catch (error) {
            setText(byId("receipt-error"), error.code === "not_found"
                ? worded("receipt.none") : error.message);
        }
    }

    #show({ lead, rows }, charge) {
        setText(byId("receipt-lead"), [lead, charge].filter(Boolean).join(" "));
        byId("receipt-rows").replaceChildren(...rows.map(({ kind, name, text, tokens }) =>
            element("tr", { class: kind, "data-testid": `receipt-${kind}` }, [
                element("th", { scope: "row" }, [name]),
                element("td", { dir: "auto" }, [text]),
                element("td", { class: "figure" }, [tokens]),
            ])));
    }
}
