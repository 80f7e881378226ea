// A row of the list of conversations: a button, and the button of its menu.

import { element, icon } from "../element.js";

/** What the rows of conversations and folders have in common. */
export class ListRow {
    /** The button that opens what the row stands for. */
    main;
    /** The button that opens the menu. */
    more = element("button", {
        type: "button", class: "row-menu-button", "aria-haspopup": "menu", "aria-expanded": "false",
        "data-testid": "row-menu-button",
    }, [icon("more")]);
    /** The list item. */
    node;

    /** `main` and `item`: the attributes of the first button and of the list item. */
    constructor({ main, item }) {
        this.main = element("button", { type: "button", ...main });
        this.node = element("li", item, [this.main, this.more]);
    }

    /** Whether Tab stops here: at one row of the list. Arrow keys move between rows. */
    set isTabStop(isTabStop) {
        for (const button of [this.main, this.more]) button.tabIndex = isTabStop ? 0 : -1;
    }
}
