// A menu button: arrow keys move, Escape and a click elsewhere close the menu.

/** A menu. */
export class Menu {
    #button;
    #menu;

    /** `button` opens `menu`. */
    constructor(button, menu) {
        this.#button = button;
        this.#menu = menu;
        button.addEventListener("click", () => (menu.hidden ? this.open() : this.close()));
        button.addEventListener("keydown", (event) => {
            if (event.key !== "ArrowDown") return;
            event.preventDefault();
            this.open();
        });
        menu.addEventListener("keydown", (event) => this.#onKey(event));
        // Before the item acts: a dialog that it opens returns the focus to the button, since the item
        // is hidden by then.
        menu.addEventListener("click", () => this.close(), { capture: true });
        document.addEventListener("pointerdown", ({ target }) => {
            if (!menu.contains(target) && !button.contains(target)) this.close(false);
        });
    }

    /** Opens the menu and focuses its first item. */
    open() {
        this.#menu.hidden = false;
        this.#button.setAttribute("aria-expanded", "true");
        this.#items[0]?.focus();
    }

    /** Closes the menu; focuses the button. */
    close(takesFocus = true) {
        if (this.#menu.hidden) return;
        this.#menu.hidden = true;
        this.#button.setAttribute("aria-expanded", "false");
        if (takesFocus) this.#button.focus();
    }

    get #items() {
        return [...this.#menu.querySelectorAll("[role=menuitem]:not([hidden])")];
    }

    #onKey(event) {
        const items = this.#items;
        const index = items.indexOf(document.activeElement);
        const targets = {
            ArrowDown: items[(index + 1) % items.length],
            ArrowUp: items[(index - 1 + items.length) % items.length],
            Home: items[0],
            End: items.at(-1),
        };
        if (event.key === "Escape" || event.key === "Tab") {
            this.close();
            // Escape closes the menu here, and must not stop the running answer.
            event.stopPropagation();
        } else if (targets[event.key]) {
            event.preventDefault();
            targets[event.key].focus();
        }
    }
}
