// The head of the open conversation: what it is called, who is there, which model answers, and its menu.

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
     * `watcher` knows the open conversation; `announcer` says who writes; `open(id)` opens another
     * conversation, or for null none.
     */
    constructor({ connection, watcher, models, teams, user, announcer, open }) {
        this.#chooser = new ModelChooser(connection, models);
        this.#menu = new ConversationMenu(connection, teams, user, open);
        this.#presence = new PresenceView(connection, watcher, user, announcer);
        this.#status = new StatusView(connection, user, models, teams);
    }

    /** The model for a new conversation; undefined leaves the choice to the server. */
    get modelForNewConversation() {
        return this.#chooser.forNewConversation;
    }

    /** Shows `conversation`, in which this user may write or not; null where none is open. */
    show(conversation, mayWrite) {
        this.#chooser.show(conversation, mayWrite);
        this.#status.show(conversation, !this.#chooser.isShown);
        this.#presence.show(conversation);
        this.#menu.show(conversation);
    }

    /** Whether this user has just put a conversation away: they know why it is gone. */
    hasPutAway(id) {
        return this.#menu.hasPutAway(id);
    }

    /** This user writes in the open conversation. */
    typed() {
        this.#presence.typed();
    }
}
