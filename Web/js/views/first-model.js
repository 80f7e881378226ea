// "Get a real Phi", in the welcome of an administrator whose server has the demo model alone: what each
// takes, the progress while one comes, and then the way to ask it, without a reload.

import { byId, element, setAttribute, setText } from "../element.js";
import { demoModel, offeredModels } from "../known-models.js";
import { text } from "../language.js";
import { machineTextOf, warningOf } from "../machine-memory.js";
import { reasonOf } from "../sentences.js";
import { fetchFiguresOf, modelStateOf } from "../wording.js";

/** The card. */
export class FirstModel {
    /** The card's node. */
    node = element("section", {
        class: "first-steps", "data-testid": "first-model", "aria-labelledby": "first-model-title",
        hidden: true,
    });

    #models;
    #choose;
    /** The names that can be fetched; null until they are known, and if there are none. */
    #pullable = null;
    /** The memory of the server's machine; null while it is unknown. */
    #memory = null;
    /** Whether the demo model answers in the open conversation. */
    #isDemo = false;
    #signature = null;
    #progress = element("progress", { max: 1, "data-testid": "first-model-progress" });
    #figures = element("p", { class: "hint" });

    /** `choose(name)` makes a model answer in the open conversation. */
    constructor(models, user, choose) {
        this.#models = models;
        this.#choose = choose;
        if (!user.admin) return;
        models.addEventListener("changed", () => this.#changed());
    }

    /** Shows the card where the demo model answers. */
    show(isDemo) {
        this.#isDemo = isDemo;
        this.#draw();
    }

    async #changed() {
        if (this.#models.default?.name === demoModel && this.#pullable === null) {
            this.#pullable = [];
            // A server that forbids downloads offers none.
            const { names, memory } = await this.#models.offers().catch(() => ({}));
            this.#pullable = names ?? [];
            this.#memory = memory ?? null;
        }
        this.#draw();
    }

    #draw() {
        const others = this.#models.all.filter(({ name }) => name !== demoModel);
        const coming = others.find(({ state }) => state === "fetching" || state === "loading");
        const ready = others.find(({ state }) => state === "ready");
        const offers = offeredModels.filter(({ name }) => this.#pullable?.includes(name));
        const failed = others.find(({ state }) => state === "failed");
        this.node.hidden = !this.#isDemo || (!coming && !ready && offers.length === 0);
        if (coming) this.#update(coming);
        // Rebuilt only when the step changes, so that the focus stays.
        const signature = JSON.stringify([ready?.name, coming?.name, failed, offers.length]);
        if (signature === this.#signature) return;
        this.#signature = signature;
        const hadFocus = this.node.contains(document.activeElement);
        this.node.replaceChildren(...(ready ? this.#readyStep(ready)
            : coming ? this.#comingStep(coming) : this.#offerStep(offers, failed)));
        if (hadFocus) (this.node.querySelector("button") ?? byId("composer-text")).focus();
    }

    #offerStep(offers, failed) {
        const reason = failed ? text("first-model.failed", {
            name: shortName(failed.name), reason: reasonOf(failed) ?? "",
        }) : "";
        const problem = element("p", { class: "form-error", role: "alert" }, [reason]);
        const rows = offers.map(({ name, label, download, memory }) => {
            const get = element("button", { type: "button", "data-testid": "get-model" }, [
                text("first-model.get")]);
            setAttribute(get, "aria-label", text("first-model.get-named", { name: label }));
            get.addEventListener("click", () => this.#do(() => this.#models.pull(name), problem));
            return element("li", {}, [
                element("div", { class: "what" }, [
                    element("strong", {}, [label]),
                    element("p", {}, [text("first-model.needs", { download, memory })]),
                    ...this.#warning(memory),
                ]),
                get,
            ]);
        });
        return [
            heading(text("first-model.title")),
            element("p", {}, [text("first-model.lead")]),
            element("ul", {}, rows),
            element("p", { "data-testid": "machine-memory" }, [
                [text("first-model.memory"), machineTextOf(this.#memory)].filter(Boolean).join(" "),
            ]),
            problem,
        ];
    }

    /** A warning, if so many GB are more than the machine has. */
    #warning(memory) {
        const words = warningOf(memory, this.#memory);
        return words ? [element("p", { class: "form-error" }, [words])] : [];
    }

    #comingStep({ name }) {
        setAttribute(this.#progress, "aria-label", text("first-model.progress", { name }));
        return [
            heading(text("first-model.coming", { name: shortName(name) })),
            this.#progress, this.#figures,
            element("p", {}, [text("first-model.meanwhile")]),
        ];
    }

    #readyStep({ name }) {
        const ask = element("button", {
            type: "button", class: "primary", "data-testid": "ask-model",
        }, [text("first-model.ask")]);
        ask.addEventListener("click", () => {
            this.#choose(name);
            byId("composer-text").focus();
        });
        const problem = element("p", { class: "form-error", role: "alert" });
        const prefer = element("button", {
            type: "button", "data-testid": "make-default",
        }, [text("model.make-default")]);
        prefer.addEventListener("click", () => this.#do(() => this.#models.makeDefault(name), problem));
        return [
            heading(text("first-model.ready", { name: shortName(name) })),
            element("p", {}, [text("first-model.default")]),
            element("div", { class: "buttons" }, [ask, prefer]), problem,
        ];
    }

    #update(model) {
        this.#progress.value = model.progress ?? 0;
        setText(this.#figures, [modelStateOf(model), fetchFiguresOf(model)].filter(Boolean).join(" · "));
    }

    async #do(action, problem) {
        problem.textContent = "";
        try {
            await action();
        } catch (error) {
            setText(problem, error.message);
        }
    }
}

function heading(words) {
    return element("h3", { id: "first-model-title" }, [words]);
}

function shortName(name) {
    return name.split("/").at(-1);
}
