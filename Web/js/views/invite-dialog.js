// The members of a conversation; its owner invites and removes them.

import { byId, element, setAttribute, setText } from "../element.js";
import { text } from "../language.js";
import { initials, inviteHintOf } from "../wording.js";
import { onSubmit } from "./dialogs.js";

const roles = ["owner", "editor", "viewer"];

/** The invite dialog. */
export class InviteDialog {
    #connection;
    #teams;
    #ownID;
    #conversation = null;

    constructor(connection, teams, user) {
        this.#connection = connection;
        this.#teams = teams;
        this.#ownID = user.id;
        onSubmit("invite", () => this.#invite());
    }

    /** Opens it for a conversation object. */
    open(conversation) {
        byId("invite-name").value = "";
        byId("invite-error").textContent = "";
        this.show(conversation);
        byId("invite-dialog").showModal();
        byId("invite-name").focus();
    }

    /** Shows the members again if it is open for this conversation. */
    follow(conversation) {
        const isShown = byId("invite-dialog").open && this.#conversation.id === conversation.id;
        if (isShown) this.show(conversation);
    }

    /** Shows the current members. */
    show(conversation) {
        this.#conversation = conversation;
        setText(byId("invite-hint"), inviteHintOf(this.#teams.get(conversation.team)));
        byId("member-list").replaceChildren(
            ...(conversation.members ?? []).map((member) => this.#row(member)));
    }

    async #invite() {
        const user = byId("invite-name").value.trim();
        const role = byId("invite-role").value;
        const conversation = this.#conversation.id;
        const { members } = await this.#connection.request(
            "member.add", { conversation, user, role });
        byId("invite-name").value = "";
        this.show({ ...this.#conversation, members });
    }

    async #remove(user) {
        try {
            const { members } = await this.#connection.request(
                "member.remove", { conversation: this.#conversation.id, user: user.id });
            this.show({ ...this.#conversation, members });
        } catch (error) {
            setText(byId("invite-error"), error.message);
        }
    }

    #row({ user, role }) {
        const isSelf = user.id === this.#ownID;
        const parts = [
            element("span", { class: "avatar", "aria-hidden": "true" }, [initials(user.name)]),
            element("span", { class: "name" }, [
                isSelf ? text("people.self", { name: user.name }) : user.name]),
            element("span", { class: "role" }, [
                roles.includes(role) ? text(`invite.role.${role}`) : role]),
        ];
        if (!isSelf && role !== "owner") {
            const button = element("button", { type: "button", class: "danger" }, [text("common.remove")]);
            setAttribute(button, "aria-label", text("invite.remove", { name: user.name }));
            button.addEventListener("click", () => this.#remove(user));
            parts.push(button);
        }
        return element("li", { "data-testid": "member", "data-user-name": user.name }, parts);
    }
}
