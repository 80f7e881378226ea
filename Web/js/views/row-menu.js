// The menu of a row of the list, opened by its button, a right click, the context-menu key, or a long
// press. Only one is open at a time.

import { element } from "../element.js";
import { text } from "../language.js";
import { Menu, fillMenu } from "./menu.js";

const longPressMilliseconds = 500;
/** A finger that moves further scrolls. */
const stillPixels = 10;

/** The menu of all rows of a list. */
export class RowMenu {
    #node = element("div", {
        id: "row-menu", "data-testid": "row-menu", class: "menu row-menu", role: "menu",
        "aria-label": text("conversations.menu"), hidden: true,
    });
    #menu = new Menu(this.#node);
    #rowOf;
    #groupsOf;
    #timer = null;
    #pressed = null;

    /**
     * `list` has the rows. `rowOf(node)` is `{id, more}` of the row that contains `node`, or null;
     * `groupsOf(id)` are the items of its menu, as `fillMenu` takes them.
     */
    constructor(list, rowOf, groupsOf) {
        this.#rowOf = rowOf;
        this.#groupsOf = groupsOf;
        list.parentElement.append(this.#node);
        list.parentElement.addEventListener("scroll", () => this.#menu.close(false));
        list.addEventListener("click", (event) => {
            const row = rowOf(event.target);
            if (!row?.more.contains(event.target)) return;
            if (row.more.getAttribute("aria-expanded") === "true") this.#menu.close();
            else this.#open(row);
        });
        list.addEventListener("contextmenu", (event) => this.#onContextMenu(event));
        this.#followPresses(list);
    }

    #open(row, point = null) {
        const groups = this.#groupsOf(row.id);
        if (!groups) return;
        fillMenu(this.#node, groups, "row");
        this.#menu.openAt(row.more, point);
    }

    #onContextMenu(event) {
        const row = this.#rowOf(event.target);
        if (!row || event.target instanceof HTMLInputElement) return;
        event.preventDefault();
        // A long press has opened it already; a key has no place.
        if (this.#pressed) return;
        const isMouse = event.pointerType === "mouse" && event.button === 2;
        this.#open(row, isMouse ? { x: event.clientX, y: event.clientY } : null);
    }

    /** Browsers on phones do not agree on the event of a long press, so it is measured. */
    #followPresses(list) {
        let start = null;
        const cancel = () => clearTimeout(this.#timer);
        list.addEventListener("pointerdown", (event) => {
            cancel();
            this.#pressed = null;
            const row = this.#rowOf(event.target);
            const isField = event.target instanceof HTMLInputElement;
            if (event.pointerType === "mouse" || !row || isField) return;
            start = { x: event.clientX, y: event.clientY };
            this.#timer = setTimeout(() => {
                this.#pressed = row.id;
                this.#open(row, start);
            }, longPressMilliseconds);
        });
        list.addEventListener("pointermove", ({ clientX, clientY }) => {
            if (start && Math.hypot(clientX - start.x, clientY - start.y) > stillPixels) cancel();
        });
        for (const name of ["pointerup", "pointercancel"]) list.addEventListener(name, cancel);
        // The finger's release is not a click on the row.
        list.addEventListener("click", (event) => {
            if (!this.#pressed) return;
            this.#pressed = null;
            event.stopPropagation();
            event.preventDefault();
        }, { capture: true });
    }
}
