// What an empty conversation shows: a greeting, and a few questions to begin with.

import { byId, element, setText } from "../element.js";

const suggestions = [
    "What is Stoa?",
    "Explain how Stoa answers a message.",
    "How do I invite a teammate?",
    "Where are my messages stored?",
];

/** The greeting. */
export class Welcome {
    /** `ask(text)` sends a question. */
    constructor(ask) {
        byId("suggestions").replaceChildren(...suggestions.map((text) => {
            const attributes = { type: "button", "data-testid": "suggestion" };
            const button = element("button", attributes, [text]);
            button.addEventListener("click", () => ask(text));
            return button;
        }));
    }

    /** Shows or hides it; to those who may only read, it suggests nothing. */
    show(isShown, { user, mayWrite }) {
        byId("suggestions").hidden = !mayWrite;
        byId("welcome").hidden = !isShown;
        byId("messages").hidden = isShown;
        setText(byId("welcome-title"), `Hello, ${user.name}`);
        byId("welcome-lead").textContent = "Ask Phi something. It answers from your own server.";
    }
}
