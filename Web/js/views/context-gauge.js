// The gauge below the message field: how much of the model's context the conversation would take with
// the draft, and what the context policy would do.

import { contextEstimate } from "../context-estimate.js";
import { byId, element, setText } from "../element.js";
import { text } from "../language.js";

/** Below this part of the room the gauge stays quiet: no number, only its bar. */
const noticeablePart = 0.5;
const pauseMilliseconds = 150;

/** The gauge. */
export class ContextGauge {
    #state = { timeline: null, conversation: null, model: null, mayWrite: false };
    #field = byId("composer-text");
    #meter = element("meter", {
        min: "0", "data-testid": "context-meter", "aria-label": text("context.meter"),
    });
    #words = element("span", { "data-testid": "context-words" });
    #node = element("p", { id: "context-gauge", "data-testid": "context-gauge", hidden: true }, [
        this.#meter, this.#words,
    ]);
    #timer = null;

    constructor() {
        byId("composer").after(this.#node);
        this.#field.addEventListener("input", () => this.#schedule());
    }

    /** Shows it for the open conversation (null: for a new one). */
    show(state) {
        this.#state = state;
        this.#schedule();
    }

    #schedule() {
        this.#timer ??= setTimeout(() => {
            this.#timer = null;
            this.#draw();
        }, pauseMilliseconds);
    }

    #draw() {
        const { timeline, conversation, model, mayWrite } = this.#state;
        // While an answer grows, its count is not known yet, and nothing would be sent.
        const isBusy = Boolean(timeline?.pendingAnswer);
        const estimate = isBusy || !mayWrite ? null : contextEstimate({
            messages: [...timeline?.messages.values() ?? []],
            isWhole: !timeline?.hasOlder,
            draft: this.#field.value.trim(),
            contextLength: model?.context_length,
            maxTokens: conversation?.settings?.max_tokens,
        });
        this.#node.hidden = estimate === null;
        if (estimate === null) return;
        const { used, limit, wasShortened } = estimate;
        const isOver = used > limit || wasShortened;
        this.#meter.max = limit;
        this.#meter.high = limit;
        this.#meter.value = Math.min(used, limit);
        this.#node.title = text("context.meaning");
        this.#node.toggleAttribute("data-low", isOver);
        const figures = used > limit * noticeablePart || isOver
            ? text("context.used", { used, limit }) : "";
        const policy = conversation?.context_policy ?? "drop_oldest";
        const sentence = isOver ? this.#consequence(policy, estimate) : "";
        const words = [figures, sentence].filter(Boolean).join(" ");
        if (this.#words.textContent !== words) setText(this.#words, words);
    }

    #consequence(policy, { leftOut, isDraftTooLong }) {
        if (isDraftTooLong) return text("context.too-long");
        const isNamed = leftOut > 0 && policy !== "refuse";
        return isNamed ? text(`context.${policy}.count`, { count: leftOut }) : text(`context.${policy}`);
    }
}
