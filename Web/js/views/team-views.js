// The team views of the page: the switcher, both dialogs, and joining with a link.

import { forgetLink } from "../address.js";
import { byId } from "../element.js";
import { text } from "../language.js";
import { confirmed } from "./dialogs.js";
import { TeamDialog } from "./team-dialog.js";
import { TeamSwitcher } from "./team-switcher.js";
import { TeamsDialog } from "./teams-dialog.js";
import { showToast } from "./toast.js";

/** The team views. Dispatches "open" (detail: a conversation's id). */
export class TeamViews extends EventTarget {
    #connection;
    #teams;
    #dialog;
    /** The token of a link that waits for a connection. */
    #token = null;

    constructor(connection, teams, user) {
        super();
        this.#connection = connection;
        this.#teams = teams;
        const switcher = new TeamSwitcher(teams);
        const list = new TeamsDialog(teams);
        this.#dialog = new TeamDialog(connection, teams, user);
        const open = ({ detail }) => this.#dialog.open(detail);
        switcher.addEventListener("open-team", open);
        switcher.addEventListener("open-teams", () => list.open());
        list.addEventListener("open-team", open);
        this.#dialog.addEventListener("open-conversation", ({ detail: conversation }) => {
            this.dispatchEvent(new CustomEvent("open", { detail: conversation }));
        });
        connection.addEventListener("welcome", () => this.#joinByLink());
    }

    /** Joins with a link's token, now or once connected; after a confirmation. */
    join(token) {
        this.#token = token;
        if (this.#connection.state === "live") this.#joinByLink();
    }

    async #joinByLink() {
        const token = this.#token;
        if (token === null || byId("confirm-dialog").open) return;
        this.#token = null;
        const isAgreed = await confirmed({
            heading: text("team.join.heading"),
            text: text("team.join.text"),
            agree: text("common.join"),
            isHarmless: true,
        });
        if (!isAgreed) {
            forgetLink();
            return;
        }
        try {
            const team = await this.#teams.join(token);
            forgetLink();
            this.#teams.choose(team.id);
            showToast(text("team.joined", { name: team.name }));
            this.#dialog.open(team);
        } catch (error) {
            if (!error.isRetryable) forgetLink();
            showToast(error.message);
        }
    }
}
