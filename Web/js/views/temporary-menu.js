// The menu beside "New conversation": conversations that end by themselves.

import { byId, element, icon } from "../element.js";
import { text } from "../language.js";
import { lifetimeOf, lifetimeSeconds } from "../lifetimes.js";
import { Menu, fillMenu } from "./menu.js";

/** Adds the menu; `create(seconds)` creates a conversation that ends after so long. */
export function addTemporaryMenu(create) {
    const label = text("temporary.menu");
    const button = element("button", {
        id: "new-temporary", "data-testid": "new-temporary", type: "button", class: "round",
        "aria-label": label, title: label, "aria-haspopup": "menu", "aria-expanded": "false",
        "aria-controls": "temporary-menu",
    }, [icon("clock")]);
    const menu = element("div", {
        id: "temporary-menu", "data-testid": "temporary-menu", class: "menu", role: "menu",
        "aria-label": label, hidden: true,
    });
    fillMenu(menu, [lifetimeSeconds.map((seconds) => ({
        name: seconds,
        symbol: "clock",
        label: text("temporary.ends", { when: lifetimeOf(seconds) }),
        run: () => create(seconds),
    }))], "temporary");
    new Menu(menu, button);
    const anchor = element("div", { class: "menu-anchor" }, [button, menu]);
    byId("new-conversation").before(anchor);
}
