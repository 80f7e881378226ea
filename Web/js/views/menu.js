// Menus: arrow keys move, a letter goes to the next item that begins with it, Escape and a click
// elsewhere close.

import { element, icon } from "../element.js";

/** Distance of a menu from what it belongs to, and from the window's edges, in pixels. */
const gap = 4;

/** A menu. */
export class Menu {
    #menu;
    /** The button that opened it, which gets the focus back. */
    #button;

    /** `menu` is opened by `button`, or by `openAt`. */
    constructor(menu, button = null) {
        this.#menu = menu;
        this.#button = button;
        button?.addEventListener("click", () => (menu.hidden ? this.open() : this.close()));
        button?.addEventListener("keydown", (event) => {
            if (event.key !== "ArrowDown") return;
            event.preventDefault();
            this.open();
        });
        menu.addEventListener("keydown", (event) => this.#onKey(event));
        // Before the item acts: a dialog that it opens returns the focus to the button, since the item
        // is hidden by then.
        menu.addEventListener("click", () => this.close(), { capture: true });
        document.addEventListener("pointerdown", ({ target }) => {
            if (!menu.contains(target) && !this.#button?.contains(target)) this.close(false);
        });
    }

    /** Opens the menu and focuses its first item. */
    open() {
        this.#menu.hidden = false;
        this.#button.setAttribute("aria-expanded", "true");
        this.#items[0]?.focus();
    }

    /** Opens the menu for `button`: at `point` (`{x, y}` in the window), or below the button. */
    openAt(button, point = null) {
        this.close(false);
        this.#button = button;
        this.#menu.hidden = false;
        const { left, right, bottom } = button.getBoundingClientRect();
        const { offsetWidth: width, offsetHeight: height } = this.#menu;
        const x = point?.x ?? (right - width < gap ? left : right - width);
        const y = point?.y ?? bottom + gap;
        this.#menu.style.left = `${Math.max(gap, Math.min(x, innerWidth - width - gap))}px`;
        this.#menu.style.top = `${Math.max(gap, Math.min(y, innerHeight - height - gap))}px`;
        this.open();
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
        } else if (event.key.length === 1 && event.key !== " ") {
            const letter = event.key.toLowerCase();
            [...items.slice(index + 1), ...items]
                .find((item) => item.textContent.trim().toLowerCase().startsWith(letter))?.focus();
        }
    }
}

/**
 * Fills a menu with groups of items: `{name, symbol, label, isDangerous, run}`. `prefix` begins the
 * items' ids.
 */
export function fillMenu(menu, groups, prefix) {
    menu.replaceChildren(...groups.flatMap((group, index) => [
        ...(index > 0 ? [element("hr")] : []),
        ...group.map((item) => itemNode(item, prefix)),
    ]));
}

function itemNode({ name, symbol, label, isDangerous = false, run }, prefix) {
    const id = `${prefix}-${name}`;
    const attributes = {
        id, "data-testid": id, type: "button", role: "menuitem",
        class: isDangerous ? "danger" : null,
    };
    const button = element("button", attributes, [
        icon(symbol), element("span", { id: `${id}-text` }, [label]),
    ]);
    button.addEventListener("click", run);
    return button;
}
