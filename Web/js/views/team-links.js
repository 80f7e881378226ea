// The links into a team, in its dialog: creating one, which is shown once, and revoking one.

import { copyText } from "../clipboard.js";
import { byId, element, setAttribute, setText } from "../element.js";
import { text } from "../language.js";
import { inviteNoteOf } from "../wording.js";
import { drawRows, onSubmit } from "./dialogs.js";

/** The part of a team's dialog about links. */
export class TeamLinks {
    #connection;
    #team = null;

    constructor(connection) {
        this.#connection = connection;
        byId("team-link-copy").addEventListener("click", () => this.#copy());
        onSubmit("team-link", () => this.#make());
    }

    /** Creates links into `team` from now on, even before its list is loaded. */
    begin(team) {
        this.#team = team;
    }

    /** Shows the links of a team. */
    async open(team) {
        this.#team = team;
        await this.#list();
    }

    /** Clears a shown link. */
    forget() {
        byId("team-links").open = false;
        byId("team-link").value = "";
        byId("team-link-made").hidden = true;
        byId("team-link-note").textContent = "";
        byId("team-link-error").textContent = "";
        byId("team-link-form").reset();
    }

    async #list() {
        const { invites } = await this.#connection.request(
            "team.invite.list", { team: this.#team.id });
        const rows = invites.map((invite) => this.#row(invite));
        drawRows(byId("team-link-list"), rows, byId("team-link-make"));
    }

    #row(invite) {
        const note = inviteNoteOf(invite);
        const button = element("button", { type: "button", class: "danger" }, [text("common.revoke")]);
        setAttribute(button, "aria-label", text("share.revoke.of", { note }));
        button.addEventListener("click", () => this.#revoke(invite));
        return element("li", { "data-testid": "team-link-row" }, [
            element("span", { class: "what" }, [element("span", { class: "about" }, [note])]),
            button,
        ]);
    }

    async #make() {
        const { token } = await this.#connection.request("team.invite", {
            team: this.#team.id,
            role: byId("team-link-role").value,
            expires_in: Number(byId("team-link-lifetime").value),
            uses: byId("team-link-uses").valueAsNumber,
        });
        // In the fragment, so that it is in no server's or proxy's log.
        byId("team-link").value = `${location.origin}${location.pathname}#team-invite=${token}`;
        byId("team-link-made").hidden = false;
        setText(byId("team-link-note"), text("secret.once"));
        byId("team-link-copy").focus();
        await this.#list();
    }

    async #copy() {
        const isCopied = await copyText(byId("team-link").value);
        if (!isCopied) byId("team-link").select();
        setText(byId("team-link-note"), text(isCopied ? "secret.copied" : "secret.select"));
    }

    async #revoke({ id }) {
        byId("team-link-error").textContent = "";
        try {
            await this.#connection.request(
                "team.invite.revoke", { team: this.#team.id, invite: id });
            setText(byId("team-link-note"), text("team.link.revoked"));
            await this.#list();
        } catch (error) {
            setText(byId("team-link-error"), error.message);
        }
    }
}
