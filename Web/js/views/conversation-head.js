// The head of the open conversation: title, presence, model and menu.

import { ConversationMenu } from "./conversation-menu.js";
import { ModelChooser } from "./model-chooser.js";
import { PresenceView } from "./presence-view.js";
import { StatusView } from "./status.js";

/** The head. */
export class ConversationHead {
    #chooser;
    #menu;
    #presence;
    #status;

    /**
     * `watcher` has the open conversation; `announcer` announces typing; `actions` are those of the
     * menu.
     */
    constructor({ connection, watcher, models, teams, user, announcer, actions }) {
        this.#chooser = new ModelChooser(connection, models);
        this.#menu = new ConversationMenu(actions);
        this.#presence = new PresenceView(connection, watcher, user, announcer);
        this.#status = new StatusView(connection, user, models, teams);
    }

    /** The model for a new conversation; undefined selects the server's default. */
    get modelForNewConversation() {
        return this.#chooser.forNewConversation;
    }

    /** Makes a model answer in the shown conversation. */
    chooseModel(name) {
        return this.#chooser.choose(name);
    }

    /** Shows `conversation`, and whether this user may write in it; null if none is open. */
    show(conversation, mayWrite) {
        this.#chooser.show(conversation, mayWrite);
        this.#status.show(conversation, !this.#chooser.isShown);
        this.#presence.show(conversation);
        this.#menu.show(conversation);
    }

    /** An action of the menu on the shown conversation; undefined if it is not offered. */
    action(name) {
        return this.#menu.item(name);
    }

    /** Called when this user types in the open conversation. */
    typed() {
        this.#presence.typed();
    }
}
