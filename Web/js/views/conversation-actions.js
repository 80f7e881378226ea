// The actions on a conversation, for its menu in the head and in its row of the list.

import { actionGroupsOn } from "../conversation-rights.js";
import { text } from "../language.js";
import { titleOf } from "../wording.js";
import { confirmed } from "./dialogs.js";
import { InviteDialog } from "./invite-dialog.js";
import { SettingsDialog } from "./settings-dialog.js";
import { showToast } from "./toast.js";

/** The symbol and the text of each action. */
const looks = {
    rename: ["edit", "conversations.rename"],
    settings: ["settings", "conversations.settings"],
    invite: ["invite", "conversations.invite"],
    share: ["share", "conversations.share"],
    pin: ["pin", "conversations.pin"],
    unpin: ["pin", "conversations.unpin"],
    organise: ["folder", "folders.organise"],
    archive: ["archive", "conversations.archive"],
    unarchive: ["archive", "conversations.unarchive"],
    move: ["team", "conversations.move"],
    export: ["export", "conversations.export"],
    hold: ["lock", "conversations.hold"],
    leave: ["leave", "common.leave"],
    delete: ["delete", "common.delete"],
};

/** The actions of this user. */
export class ConversationActions {
    #connection;
    #teams;
    #user;
    #settings;
    #invite;
    #open;
    #openID;
    #leaf;
    #whole;
    /** The conversation that this user has just archived or deleted. */
    #leaving = null;

    /**
     * `open(id)` opens another conversation, or for null none; `openID()` is the open one's id,
     * `leaf()` the last message that it shows, or null, and `whole()` its object, once it is loaded.
     */
    constructor(connection, teams, user, { open, openID, leaf, whole }) {
        this.#connection = connection;
        this.#teams = teams;
        this.#user = user;
        this.#open = open;
        this.#openID = openID;
        this.#leaf = leaf;
        this.#whole = whole;
        this.#settings = new SettingsDialog(connection, teams);
        this.#invite = new InviteDialog(connection, teams, user);
    }

    /** Whether this user has just archived or deleted it, and so knows why it is gone. */
    hasRemoved(id) {
        return this.#leaving === id;
    }

    /**
     * The groups of items of a conversation's menu, as `fillMenu` takes them. `current()` is the
     * conversation when an item is chosen; `rename()` starts renaming where the menu is.
     */
    itemsFor(conversation, { current = () => conversation, rename }) {
        const isAdministrator = this.#user.admin === true;
        const teamCount = this.#placesFor(conversation).length;
        const { pinned, archived } = conversation;
        const shown = { pin: pinned ? "unpin" : "pin", archive: archived ? "unarchive" : "archive" };
        const item = (name) => {
            const [symbol, key] = looks[shown[name] ?? name];
            return {
                name,
                symbol,
                label: text(key),
                isDangerous: name === "delete" || name === "leave",
                run: () => (name === "rename" ? rename() : this.#run(name, current())),
            };
        };
        return actionGroupsOn(conversation, { isAdministrator, teamCount })
            .map((group) => group.map(item));
    }

    /** Gives a conversation another title. */
    rename({ id }, title) {
        return this.#do("conversation.update", { conversation: id, title });
    }

    /** Shows the current members if the dialog of the open conversation is open. */
    follow(conversation) {
        this.#invite.follow(conversation);
    }

    #run(name, conversation) {
        const { id, pinned } = conversation;
        switch (name) {
        case "settings": return this.#openSettings(conversation);
        case "invite": return this.#invite.open(conversation);
        case "pin": return this.#do("conversation.pin", { conversation: id, pinned: !pinned });
        case "archive": return this.#archive(conversation);
        case "export": return this.#openLazily(import("./export-dialog.js"), conversation);
        case "leave": return this.#leave(id);
        case "delete": return this.#delete(conversation);
        case "organise": return this.#openLazily(import("./organise-dialog.js"), conversation);
        case "share": return this.#openLazily(
            import("./share-dialog.js"), conversation, this.#openID() === id ? this.#leaf() : null);
        case "move": return this.#openLazily(
            import("./move-dialog.js"), conversation, this.#placesFor(conversation));
        default: return this.#openLazily(import("./hold-dialog.js"), conversation);
        }
    }

    /** The teams that this user could move a conversation to. */
    #placesFor({ team }) {
        return team ? [] : this.#teams.all.filter(({ role }) => role !== "viewer");
    }

    /** Rows of the list lack the system prompt; the open conversation has it. */
    async #openSettings({ id, role }) {
        const whole = this.#whole();
        if (whole?.id === id) {
            this.#settings.open({ ...whole, role });
            return;
        }
        try {
            const { conversation } = await this.#connection.request(
                "conversation.get", { conversation: id });
            this.#settings.open(conversation);
        } catch (error) {
            showToast(error.message);
        }
    }

    /** A part that is loaded when it is first opened: each has `openDialog(connection, …)`. */
    async #openLazily(part, ...context) {
        try {
            (await part).openDialog(this.#connection, ...context);
        } catch {
            showToast(text("conversations.part.missing"));
        }
    }

    #archive({ id: conversation, archived }) {
        const back = ["conversation.archive", { conversation, archived: false }];
        if (archived) {
            this.#do(...back);
            return;
        }
        this.#removeFromList(conversation, {
            op: ["conversation.archive", { conversation, archived: true }],
            undo: back,
            sentence: text("conversations.archived"),
        });
    }

    async #delete(conversation) {
        const isAgreed = await confirmed({
            heading: text("conversations.delete.heading"),
            text: text("conversations.delete.text", { title: titleOf(conversation) }),
            agree: text("common.delete"),
        });
        if (!isAgreed) return;
        const fields = { conversation: conversation.id };
        this.#removeFromList(conversation.id, {
            op: ["conversation.delete", fields],
            undo: ["conversation.restore", fields],
            sentence: text("conversations.deleted"),
        });
    }

    async #leave(conversation) {
        const isAgreed = await confirmed({
            heading: text("conversations.leave.heading"),
            text: text("conversations.leave.text"),
            agree: text("common.leave"),
        });
        if (isAgreed) this.#do("member.remove", { conversation, user: this.#user.id });
    }

    async #removeFromList(id, { op, undo, sentence }) {
        const wasOpen = this.#openID() === id;
        this.#leaving = id;
        try {
            await this.#connection.request(...op);
            if (this.#openID() === id) this.#open(null);
            showToast(sentence, () => this.#restore(id, undo, wasOpen));
        } catch (error) {
            this.#leaving = null;
            showToast(error.message);
        }
    }

    /** Restores it, and opens it again if it was open. */
    async #restore(id, undo, wasOpen) {
        this.#leaving = null;
        if (await this.#do(...undo) && wasOpen) this.#open(id);
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
