// Selects the team whose conversations the list shows. Hidden for users without a team.

import { byId, element } from "../element.js";
import { text } from "../language.js";

/** The switcher. Dispatches "open-team" (detail: a team) and "open-teams". */
export class TeamSwitcher extends EventTarget {
    #teams;
    #signature = null;

    constructor(teams) {
        super();
        this.#teams = teams;
        byId("team-chooser").addEventListener("change", ({ target }) => {
            teams.choose(target.value || null);
        });
        byId("team-open").addEventListener("click", () => {
            this.dispatchEvent(new CustomEvent("open-team", { detail: teams.chosen }));
        });
        byId("teams-open").addEventListener("click", () => {
            this.dispatchEvent(new CustomEvent("open-teams"));
        });
        teams.addEventListener("changed", () => this.#draw());
    }

    #draw() {
        const { all, chosen, isSupported } = this.#teams;
        byId("teams-open").hidden = !isSupported;
        byId("team-switcher").hidden = all.length === 0;
        byId("team-open").hidden = chosen === null;
        // An open list must not be rebuilt under the pointer.
        const signature = JSON.stringify([all, chosen?.id]);
        if (signature === this.#signature) return;
        this.#signature = signature;
        const chooser = byId("team-chooser");
        chooser.replaceChildren(
            element("option", { value: "" }, [text("team.all")]),
            ...all.map(({ id, name }) => element("option", { value: id }, [name])));
        chooser.value = chosen?.id ?? "";
    }
}
