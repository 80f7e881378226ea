// The menu of the open conversation, in its head.

import { byId } from "../element.js";
import { Menu, fillMenu } from "./menu.js";
import { renameInPlace } from "./rename-field.js";

/** The conversation's menu. */
export class ConversationMenu {
    #actions;
    #button = byId("conversation-menu-button");
    #menu = byId("conversation-menu");
    #conversation = null;
    #items = [];
    /** What the menu shows: it is rebuilt only on changes, so that focus stays. */
    #signature = "";

    /** `actions`: the user's `ConversationActions`. */
    constructor(actions) {
        this.#actions = actions;
        new Menu(this.#menu, this.#button);
    }

    /** Shows the actions that this user may perform in `conversation`; null hides the menu. */
    show(conversation) {
        this.#conversation = conversation;
        this.#button.hidden = conversation === null;
        if (conversation === null) {
            this.#items = [];
            this.#menu.hidden = true;
            return;
        }
        this.#actions.follow(conversation);
        const groups = this.#actions.itemsFor(conversation, {
            current: () => this.#conversation, rename: () => this.#rename(),
        });
        this.#items = groups.flat();
        const signature = JSON.stringify(groups);
        if (signature === this.#signature) return;
        this.#signature = signature;
        fillMenu(this.#menu, groups, "menu");
    }

    /** The item with that name; undefined if the menu does not offer it. */
    item(name) {
        return this.#items.find((item) => item.name === name);
    }

    #rename() {
        const conversation = this.#conversation;
        renameInPlace(byId("conversation-title"), conversation.title ?? "", {
            save: (title) => this.#actions.rename(conversation, title),
            restore: () => this.#button.focus(),
        });
    }
}
