// A row of filters above a table. What is chosen is kept in the address, for reloads.

import { element } from "../../element.js";
import { addressOf } from "../place.js";
import { labelled } from "./dialog.js";

const typingMilliseconds = 250;

/**
 * Filters of a section. `fields` are those of `labelled`, with a `name`; `values` the first ones by
 * name. Calls `changed` soon after a change.
 */
export class Filters {
    /** The row. */
    node;

    #inputs = new Map();
    #timer = null;

    constructor({ section, label, fields, values, changed }) {
        const parts = fields.map(({ name, ...field }) => {
            const { input, nodes } = labelled({
                ...field, name, value: values[name] ?? field.value ?? "", "data-filter": name,
            });
            this.#inputs.set(name, input);
            return element("div", {}, nodes);
        });
        this.node = element("form", { class: "filters", role: "search", "aria-label": label }, parts);
        const apply = () => {
            clearTimeout(this.#timer);
            history.replaceState(null, "", addressOf(section, null, this.values));
            changed();
        };
        this.node.addEventListener("submit", (event) => {
            event.preventDefault();
            apply();
        });
        this.node.addEventListener("input", () => {
            clearTimeout(this.#timer);
            this.#timer = setTimeout(apply, typingMilliseconds);
        });
    }

    /** What is chosen, as texts by name. */
    get values() {
        return Object.fromEntries([...this.#inputs].map(([name, { value }]) => [name, value.trim()]));
    }

    /** Drops a change that has not been applied. */
    close() {
        clearTimeout(this.#timer);
    }
}
