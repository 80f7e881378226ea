// The content of an empty conversation: a greeting, what the answering model is, three things to try,
// and for administrators the way to a real model.

import { byId, element, setText } from "../element.js";
import { demoModel } from "../known-models.js";
import { text } from "../language.js";
import { FirstModel } from "./first-model.js";

/** Questions that the demo model was made for, and that any other model can answer. */
const suggestions = {
    demo: ["what-is-stoa", "how-it-answers", "how-to-invite"],
    other: ["explain", "draft", "compare"],
};

/** The greeting. */
export class Welcome {
    #models;
    #ask;
    #first;
    #kind = null;
    /** What was shown last; drawn again when the models change. */
    #shown = { isShown: false };

    /** `ask(text)` sends a question; `choose(name)` makes a model answer in the open conversation. */
    constructor(models, user, { ask, choose }) {
        this.#models = models;
        this.#ask = ask;
        setText(byId("welcome-title"), text("welcome.title", { name: user.name }));
        this.#first = new FirstModel(models, user, choose);
        byId("welcome").append(this.#first.node);
        models.addEventListener("changed", () => this.#draw());
    }

    /**
     * Shows or hides it; suggestions only for users who may write. `wanted`: the name of the chosen
     * model, or undefined.
     */
    show(isShown, shown) {
        this.#shown = { isShown, ...shown };
        this.#draw();
    }

    #draw() {
        const { isShown, mayWrite, wanted } = this.#shown;
        byId("suggestions").hidden = !mayWrite;
        byId("welcome").hidden = !isShown;
        byId("messages").hidden = isShown;
        if (!isShown) return;
        const name = this.#models.answering({ model: wanted })?.name ?? "";
        const kind = name === demoModel ? "demo" : "other";
        this.#first.show(kind === "demo" && mayWrite);
        setText(byId("welcome-lead"), name === "" ? "" : text(`welcome.lead.${kind}`, {
            model: name.split("/").at(-1),
        }));
        this.#suggest(kind);
    }

    #suggest(kind) {
        if (kind === this.#kind) return;
        this.#kind = kind;
        byId("suggestions").replaceChildren(...suggestions[kind].map((name) => {
            const question = text(`welcome.try.${name}`);
            const attributes = { type: "button", "data-testid": "suggestion" };
            const button = element("button", attributes, [question]);
            button.addEventListener("click", () => this.#ask(question));
            return button;
        }));
    }
}
