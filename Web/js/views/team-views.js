// The team views of the page: the switcher, both dialogs, and joining with a link.

import { byId } from "../element.js";
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
            heading: "Join the team?",
            text: "This link lets you into a team. Its people will see your name.",
            agree: "Join",
            isHarmless: true,
        });
        if (!isAgreed) return;
        try {
            const team = await this.#teams.join(token);
            this.#teams.choose(team.id);
            showToast(`You are in the team ${team.name}.`);
            this.#dialog.open(team);
        } catch (error) {
            showToast(error.message);
        }
    }
}
