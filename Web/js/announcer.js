// Announces answers to screen readers in whole sentences, politely, instead of token by token; and other
// changes that are only visible.

import { byId, element } from "./element.js";
import { text } from "./language.js";

const keptSentencesMax = 20;

/** The end of the last complete sentence or line of `text` after `from`. */
export function endOfSentences(text, from) {
    let end = from;
    for (const match of text.slice(from).matchAll(/[.!?…][)\]"'*_]*\s|\n/g)) {
        end = from + match.index + match[0].length;
    }
    return end;
}

/** Announces partial answers. */
export class Announcer {
    #spoken = new Map();
    /** The answers whose end has been announced. */
    #ended = new Set();

    /** Resets, when another conversation is opened. */
    reset() {
        this.#spoken.clear();
        this.#ended.clear();
        byId("announcer").replaceChildren();
    }

    /** Announces the new sentences of a changed message. */
    follow(message) {
        if (message.role !== "assistant") return;
        const from = this.#spoken.get(message.id);
        // Only answers that are generated now are announced, not loaded ones.
        if (from === undefined && message.isFinal) return;
        const { answer } = message;
        const end = message.isFinal ? answer.length : endOfSentences(answer, from ?? 0);
        this.#spoken.set(message.id, end);
        const sentences = answer.slice(from ?? 0, end).replace(/[*_`#>|~]+/g, " ").trim();
        const speaker = from ? "" : `${text("people.speaker", { name: "Phi" })} `;
        if (sentences) this.say(`${speaker}${sentences}`);
        if (!message.isFinal || this.#ended.has(message.id)) return;
        this.#ended.add(message.id);
        this.say(text(`announcer.${message.state}`));
    }

    /** Announces sentences after the pending ones. */
    say(sentences) {
        const region = byId("announcer");
        region.append(element("span", {}, [`${sentences} `]));
        while (region.children.length > keptSentencesMax) region.firstElementChild.remove();
    }
}
