// The menu of the open conversation and its actions.

import { byId, setText } from "../element.js";
import { titleOf } from "../wording.js";
import { confirmed, showExport } from "./dialogs.js";
import { InviteDialog } from "./invite-dialog.js";
import { Menu } from "./menu.js";
import { SettingsDialog } from "./settings-dialog.js";
import { showToast } from "./toast.js";

/** The conversation's menu. */
export class ConversationMenu {
    #connection;
    #user;
    #settings;
    #invite;
    #open;
    #conversation = null;
    /** The conversation that this user has just archived or deleted. */
    #leaving = null;

    /** `open(id)` opens another conversation, or for null none. */
    constructor(connection, teams, user, open) {
        this.#connection = connection;
        this.#user = user;
        this.#open = open;
        this.#settings = new SettingsDialog(connection, teams);
        this.#invite = new InviteDialog(connection, teams, user);
        new Menu(byId("conversation-menu-button"), byId("conversation-menu"));
        const items = {
            "menu-settings": () => this.#settings.open(this.#conversation),
            "menu-invite": () => this.#invite.open(this.#conversation),
            "menu-export": () => showExport(this.#conversation.id),
            "menu-pin": () => this.#pin(),
            "menu-archive": () => this.#archive(),
            "menu-leave": () => this.#leave(),
            "menu-delete": () => this.#delete(),
        };
        for (const [id, action] of Object.entries(items)) {
            byId(id).addEventListener("click", action);
        }
    }

    /** Whether this user has just archived or deleted it, and so knows why it is gone. */
    hasRemoved(id) {
        return this.#leaving === id;
    }

    /** Shows the actions that this user may perform in `conversation`; null hides the menu. */
    show(conversation) {
        this.#conversation = conversation;
        byId("conversation-menu-button").hidden = conversation === null;
        if (conversation === null) return;
        const isOwner = conversation.role === "owner";
        byId("menu-settings").hidden = conversation.role === "viewer";
        byId("menu-invite").hidden = !isOwner;
        setText(byId("menu-pin-text"), conversation.pinned ? "Unpin" : "Pin");
        const label = conversation.archived ? "Bring back to the list" : "Archive";
        setText(byId("menu-archive-text"), label);
        byId("menu-leave").hidden = isOwner;
        byId("menu-delete").hidden = !isOwner;
        if (byId("invite-dialog").open) this.#invite.show(conversation);
    }

    #pin() {
        const { id: conversation, pinned } = this.#conversation;
        this.#do("conversation.pin", { conversation, pinned: !pinned });
    }

    #archive() {
        const { id: conversation, archived } = this.#conversation;
        const back = ["conversation.archive", { conversation, archived: false }];
        if (archived) {
            this.#do(...back);
            return;
        }
        this.#removeFromList(conversation, {
            op: ["conversation.archive", { conversation, archived: true }],
            undo: back,
            sentence: "Archived: it is listed in your account.",
        });
    }

    async #delete() {
        const conversation = this.#conversation;
        const isAgreed = await confirmed({
            heading: "Delete this conversation?",
            text: `“${titleOf(conversation)}” will be gone, for everybody in it.`,
            agree: "Delete",
        });
        if (!isAgreed) return;
        const fields = { conversation: conversation.id };
        // A server without archiving cannot restore either.
        const isForGood = byId("menu-archive").hidden;
        this.#removeFromList(conversation.id, {
            op: ["conversation.delete", fields],
            undo: isForGood ? null : ["conversation.restore", fields],
            sentence: "The conversation is deleted.",
        });
    }

    async #leave() {
        const conversation = this.#conversation;
        const isAgreed = await confirmed({
            heading: "Leave this conversation?",
            text: "It goes on without you. Its owner can invite you again.",
            agree: "Leave",
        });
        const fields = { conversation: conversation.id, user: this.#user.id };
        if (isAgreed) this.#do("member.remove", fields);
    }

    async #removeFromList(id, { op, undo, sentence }) {
        this.#leaving = id;
        try {
            await this.#connection.request(...op);
            if (this.#conversation?.id === id) this.#open(null);
            showToast(sentence, undo && (() => this.#restore(id, undo)));
        } catch (error) {
            this.#leaving = null;
            showToast(error.message);
        }
    }

    /** Restores it, and opens it again. */
    async #restore(id, undo) {
        this.#leaving = null;
        if (await this.#do(...undo)) this.#open(id);
    }

    /** Resolves to whether it succeeded. */
    async #do(op, fields) {
        try {
            await this.#connection.request(op, fields);
            return true;
        } catch (error) {
            showToast(error.message);
            return false;
        }
    }
}
