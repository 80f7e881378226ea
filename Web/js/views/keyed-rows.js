// Rows of a list that keep their nodes: a change draws the rows that changed, and moves only those that
// moved. Focus, a pressed button and an open field survive.

import { keptInPlace } from "../list-order.js";

/** The rows of a list element. */
export class KeyedRows {
    #list;
    #make;
    #rows = new Map();

    /** `make(key)` creates a row: `{node, draw(item)}`. */
    constructor(list, make) {
        this.#list = list;
        this.#make = make;
    }

    /** The row of a key, or undefined. */
    get(key) {
        return this.#rows.get(key);
    }

    /** Draws `items`, each with its `key`, in this order. */
    draw(items) {
        const focused = this.#focused;
        const before = [...this.#rows.keys()];
        const after = items.map(({ key }) => key);
        const stay = keptInPlace(before, after);
        const rows = new Map();
        for (const item of items) {
            const row = this.#rows.get(item.key) ?? this.#make(item.key);
            row.draw(item);
            rows.set(item.key, row);
        }
        for (const [key, { node }] of this.#rows) if (!rows.has(key)) node.remove();
        this.#rows = rows;
        let next = null;
        for (const key of after.toReversed()) {
            const { node } = rows.get(key);
            if (!stay.has(key)) this.#list.insertBefore(node, next);
            next = node;
        }
        if (focused) this.#refocus(focused, before, after);
    }

    get #focused() {
        const node = document.activeElement;
        return this.#list.contains(node) ? node : null;
    }

    /** A moved node loses the focus; that of a removed row goes to its neighbour. */
    #refocus(node, before, after) {
        if (this.#list.contains(node)) {
            if (document.activeElement !== node) node.focus();
            return;
        }
        const known = new Set(after);
        const place = before.findIndex((key) => !known.has(key));
        const neighbour = this.#rows.get(after[Math.min(Math.max(place, 0), after.length - 1)]);
        neighbour?.node.querySelector("button")?.focus();
    }
}
