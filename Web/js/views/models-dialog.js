// The server's models, for administrators: their states, and fetching another one from the hub or
// cancelling that. It shows the server's state, which does not depend on the page.

import { byId, element, setAttribute, setText } from "../element.js";
import { text } from "../language.js";
import { ModelNeeds } from "../model-needs.js";
import { actionsOf } from "../models.js";
import { reasonOf } from "../sentences.js";
import { fetchFiguresOf, modelStateOf, percentOf, thinkingOf } from "../wording.js";
import { onSubmit } from "./dialogs.js";

/** The models dialog. */
export class ModelsDialog {
    #models;
    #needs;
    #rows = new ModelRows(byId("model-list"), {
        cancel: (name) => this.#do(() => this.#models.cancel(name)),
        pull: (name) => this.#do(() => this.#pull(name)),
    });

    constructor(models, user) {
        this.#models = models;
        byId("models-open").hidden = !user.admin;
        byId("models-open").addEventListener("click", () => this.#open());
        models.addEventListener("changed", () => {
            if (byId("models-dialog").open) this.#draw();
        });
        this.#needs = new ModelNeeds(models, {
            input: byId("model-name"), note: byId("model-memory"),
            warning: byId("model-memory-warning"),
        });
        onSubmit("models", () => this.#pull(byId("model-name").value.trim()));
    }

    async #open() {
        byId("models-error").textContent = "";
        byId("model-pull").hidden = true;
        this.#draw();
        byId("models-dialog").showModal();
        try {
            const { names, memory } = await this.#models.offers();
            this.#needs.offer({ names, memory });
            byId("model-pull").hidden = names === null;
            byId("model-suggestions").replaceChildren(
                ...(names ?? []).map((value) => element("option", { value })));
        } catch (error) {
            setText(byId("models-error"), error.message);
        }
    }

    async #pull(name) {
        await this.#models.pull(name);
        byId("model-name").value = "";
        this.#needs.draw();
    }

    async #do(action) {
        byId("models-error").textContent = "";
        try {
            await action();
        } catch (error) {
            setText(byId("models-error"), error.message);
        }
    }

    #draw() {
        const { all } = this.#models;
        this.#rows.draw(all);
        byId("model-fetch").disabled = all.some(({ state }) => state === "fetching");
    }
}

/**
 * A list of models. The actions get the name of the one whose button was pressed: `cancel` and `pull`; and
 * `load`, `unload` and `makeDefault`, without which there are no such buttons.
 */
export class ModelRows {
    #list;
    #actions;
    #rows = new Map();

    constructor(list, actions) {
        this.#list = list;
        this.#actions = actions;
    }

    /** Draws the rows. Existing ones are updated in place, so that focus stays. */
    draw(models) {
        const names = new Set(models.map(({ name }) => name));
        for (const [name, row] of this.#rows) {
            if (names.has(name)) continue;
            row.node.remove();
            this.#rows.delete(name);
        }
        for (const model of models) {
            const { name } = model;
            if (!this.#rows.has(name)) {
                const row = new ModelRow(name, Object.fromEntries(Object.entries(this.#actions).map(
                    ([action, run]) => [action, () => run(name)])));
                this.#rows.set(name, row);
                this.#list.append(row.node);
            }
            this.#rows.get(name).update(model);
        }
    }
}

/** The row of one model. */
class ModelRow {
    node;

    #state = element("span", { class: "state", "data-testid": "model-state" });
    #progress = element("progress", { max: 1 });
    #figures = element("p", { class: "hint", "data-testid": "model-figures" });
    #reason = element("p", { class: "form-error", "data-testid": "model-reason" });
    #cancel;
    #retry;
    /** The buttons that load, unload, and make it the default; none where that is not offered. */
    #buttons;

    constructor(name, { cancel, pull, ...others }) {
        this.#cancel = pushButton("cancel-pull", text("common.cancel"), cancel);
        this.#retry = pushButton("retry-pull", text("common.try-again"), pull);
        this.#buttons = Object.entries(others).map(([action, run]) => {
            const button = pushButton(testIDs[action], text(`model.${testIDs[action]}`), run);
            setAttribute(button, "aria-label", text(`model.${testIDs[action]}.named`, { name }));
            return [action, button];
        });
        setAttribute(this.#progress, "aria-label", text("model.progress", { name }));
        this.node = element("li", { "data-testid": "model", "data-model-name": name }, [
            element("div", { class: "model-head" }, [
                element("span", { class: "name" }, [name]), this.#state, this.#retry, this.#cancel,
                ...this.#buttons.map(([, button]) => button),
            ]),
            this.#progress, this.#figures, this.#reason,
        ]);
    }

    /** Shows the model's state. */
    update(model) {
        const isMoving = model.state === "fetching" || model.state === "loading";
        this.node.dataset.state = model.state;
        setText(this.#state, modelStateOf(model));
        this.#progress.hidden = !isMoving;
        if (isMoving) this.#progress.value = model.progress ?? 0;
        setAttribute(this.#progress, "title", percentOf(model));
        setText(this.#figures, [fetchFiguresOf(model), thinkingOf(model)].filter(Boolean).join(" · "));
        this.#figures.hidden = this.#figures.textContent === "";
        setText(this.#reason, reasonOf(model) ?? "");
        // A model named by a folder cannot be fetched from the hub again.
        const isFailedFetch = model.state === "failed" && model.name.includes("/");
        this.#cancel.hidden = model.state !== "fetching" && !isFailedFetch;
        setText(this.#cancel, text(
            model.state === "fetching" ? "common.cancel" : "model.dismiss"));
        this.#retry.hidden = !isFailedFetch;
        const possible = actionsOf(model);
        for (const [action, button] of this.#buttons) button.hidden = !possible.includes(action);
    }
}

const testIDs = { makeDefault: "make-default", load: "load", unload: "unload" };

function pushButton(testID, label, action) {
    const button = element("button", { type: "button", "data-testid": testID }, [label]);
    button.addEventListener("click", action);
    return button;
}
