// A table that is loaded page by page. On narrow screens each row is a card, whose cells name their
// columns.

import { element } from "../../element.js";
import { text } from "../../language.js";

/**
 * A table. `columns` are `{title, cell, isFigure}`: `cell` makes a row's content of a column, as a
 * text, a node or an array of them; the first column names the row. `load` gets a cursor (undefined
 * for the first page) and resolves to `{rows, cursor}`. `keyOf` identifies a row. `none` is the
 * sentence of an empty table.
 */
export class PagedTable {
    /** The table, and what belongs to it. */
    node;

    #columns;
    #load;
    #keyOf;
    #rows = [];
    #drawn = new Map();
    #cursor = null;
    #turn = 0;
    #body = element("tbody", { role: "rowgroup" });
    #none;
    #more = element("button", { type: "button", class: "plain", hidden: true, "data-testid": "more" },
        [text("administration.more")]);

    constructor({ label, columns, none, load, keyOf, act }) {
        this.#columns = columns;
        this.#load = load;
        this.#keyOf = keyOf;
        this.#none = element("p", { class: "hint", hidden: true, "data-testid": "none" }, [none]);
        this.#more.addEventListener("click", () => act(() => this.#loadMore()));
        const titles = columns.map(({ title, isFigure }) => element("th", {
            scope: "col", role: "columnheader", class: isFigure ? "figure" : null,
        }, [title]));
        const table = element("table", { class: "data", role: "table", "aria-label": label }, [
            element("thead", { role: "rowgroup" }, [element("tr", { role: "row" }, titles)]),
            this.#body,
        ]);
        this.node = element("div", { class: "paged" }, [table, this.#none, this.#more]);
    }

    /** The loaded rows. */
    get rows() {
        return this.#rows;
    }

    /** Loads it again, with as many rows as are shown. */
    async refresh() {
        const count = this.#rows.length;
        await this.#fill([], undefined, count);
    }

    /** Loads it from the beginning: other rows are asked for. */
    async restart() {
        await this.#fill([], undefined, 0);
    }

    async #loadMore() {
        await this.#fill(this.#rows, this.#cursor, this.#rows.length + 1);
    }

    /** Adds pages to `rows` until there are `count`. A later call makes this one void. */
    async #fill(rows, from, count) {
        const turn = ++this.#turn;
        let cursor = from;
        let all = rows;
        do {
            const page = await this.#load(cursor);
            if (turn !== this.#turn) return;
            all = [...all, ...page.rows];
            ({ cursor } = page);
        } while (cursor && all.length < count);
        this.#rows = all;
        this.#cursor = cursor ?? null;
        this.#draw();
    }

    /** Rows that have not changed keep their nodes, and the focused control stays focused. */
    #draw() {
        const before = this.#drawn;
        this.#drawn = new Map(this.#rows.map((row) => {
            const key = this.#keyOf(row);
            const content = JSON.stringify(row);
            const known = before.get(key);
            return [key, known?.content === content ? known : { content, node: this.#row(row) }];
        }));
        const nodes = [...this.#drawn.values()].map(({ node }) => node);
        const isSame = nodes.length === this.#body.children.length
            && nodes.every((node, index) => node === this.#body.children[index]);
        if (!isSame) this.#replace(nodes, before);
        this.#none.hidden = nodes.length > 0;
        this.#more.hidden = this.#cursor === null;
    }

    #replace(nodes, before) {
        const focused = document.activeElement;
        const [key, { node: row } = {}] = [...before].find(
            ([, { node }]) => node.contains(focused)) ?? [];
        const index = row ? [...row.querySelectorAll(controls)].indexOf(focused) : -1;
        this.#body.replaceChildren(...nodes);
        if (index < 0) return;
        const near = this.#drawn.get(key)?.node ?? nodes[0];
        const found = near?.querySelectorAll(controls) ?? [];
        (found[index] ?? found[0] ?? this.#more).focus();
    }

    #row(row) {
        return element("tr", { role: "row" }, this.#columns.map(({ title, cell, isFigure }, index) => {
            const content = [cell(row)].flat();
            const attributes = { "data-label": title, class: isFigure ? "figure" : null };
            return index === 0
                ? element("th", { ...attributes, scope: "row", role: "rowheader" }, content)
                : element("td", { ...attributes, role: "cell" },
                    [element("div", { class: "cell" }, content)]);
        }));
    }
}

const controls = "a, button, select, input";
