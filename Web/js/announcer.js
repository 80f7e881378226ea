// Tells screen readers how an answer goes on: whole sentences, politely, instead of each token; and what
// else happens that only eyes would notice.

import { byId, element } from "./element.js";

const keptSentencesMax = 20;

/** How far `text` has whole sentences or lines, from `from` on. */
export function endOfSentences(text, from) {
    let end = from;
    for (const match of text.slice(from).matchAll(/[.!?…][)\]"'*_]*\s|\n/g)) {
        end = from + match.index + match[0].length;
    }
    return end;
}

/** Speaks growing answers. */
export class Announcer {
    #spoken = new Map();

    /** Forgets what it spoke, as when another conversation is opened. */
    reset() {
        this.#spoken.clear();
        byId("announcer").replaceChildren();
    }

    /** Follows a message that changed. */
    follow(message) {
        if (message.role !== "assistant") return;
        const from = this.#spoken.get(message.id);
        // Only what grows before one's eyes is spoken, not what is loaded.
        if (from === undefined && message.isFinal) return;
        const text = message.text;
        const end = message.isFinal ? text.length : endOfSentences(text, from ?? 0);
        this.#spoken.set(message.id, end);
        const sentences = text.slice(from ?? 0, end).replace(/[*_`#>|~]+/g, " ").trim();
        if (sentences) this.say(from ? sentences : `Phi: ${sentences}`);
    }

    /** Speaks sentences, behind what is being spoken. */
    say(sentences) {
        const region = byId("announcer");
        region.append(element("span", {}, [`${sentences} `]));
        while (region.children.length > keptSentencesMax) region.firstElementChild.remove();
    }
}
