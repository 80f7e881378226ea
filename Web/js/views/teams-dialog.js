// The user's teams, and creating another.

import { byId, element, setAttribute } from "../element.js";
import { text } from "../language.js";
import { teamRoleOf } from "../wording.js";
import { drawRows, onSubmit } from "./dialogs.js";

/** The dialog of all teams. Dispatches "open-team" (detail: a team). */
export class TeamsDialog extends EventTarget {
    #teams;

    constructor(teams) {
        super();
        this.#teams = teams;
        teams.addEventListener("changed", () => {
            if (byId("teams-dialog").open) this.#draw();
        });
        onSubmit("teams", () => this.#create());
    }

    /** Opens it. */
    open() {
        byId("teams-error").textContent = "";
        byId("team-new-name").value = "";
        this.#draw();
        byId("teams-dialog").showModal();
        this.#teams.refresh();
    }

    async #create() {
        try {
            this.#show(await this.#teams.create(byId("team-new-name").value.trim()));
        } catch (error) {
            // Hides the form from users who may not create teams.
            byId("team-new").hidden = error.code === "forbidden";
            throw error;
        }
    }

    #show(team) {
        byId("teams-dialog").close();
        this.dispatchEvent(new CustomEvent("open-team", { detail: team }));
    }

    #draw() {
        const rows = this.#teams.all.map((team) => this.#row(team));
        drawRows(byId("teams-list"), rows, byId("team-new-name"));
        byId("teams-none").hidden = rows.length > 0;
    }

    #row(team) {
        const button = element("button", { type: "button" }, [text("common.open")]);
        setAttribute(button, "aria-label", text("team.open.named", { name: team.name }));
        button.addEventListener("click", () => this.#show(team));
        return element("li", { "data-testid": "team-row", "data-team-name": team.name }, [
            element("span", { class: "what" }, [
                element("span", { class: "name", dir: "auto" }, [team.name]),
                element("span", { class: "about" }, [teamRoleOf(team.role)]),
            ]),
            button,
        ]);
    }
}
