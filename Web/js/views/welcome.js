// The content of an empty conversation: a greeting, and suggested questions.

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

    /** Shows or hides it; suggestions only for users who may write. */
    show(isShown, { user, mayWrite }) {
        byId("suggestions").hidden = !mayWrite;
        byId("welcome").hidden = !isShown;
        byId("messages").hidden = isShown;
        setText(byId("welcome-title"), `Hello, ${user.name}`);
        byId("welcome-lead").textContent = "Ask Phi something. It answers from your own server.";
    }
}
