// How long a team's conversations are kept, in the dialog of the team; for its owners and admins.

import { byId, element, setText } from "../element.js";
import { text } from "../language.js";

const daysMax = 36_500;

/** The part of a team's dialog about retention. */
export class TeamRetention {
    #connection;
    #team = null;
    #days = element("input", {
        id: "team-retention-days", "data-testid": "team-retention-days", type: "number", min: 1,
        max: daysMax, step: 1, inputmode: "numeric", placeholder: text("retention.never"),
    });
    #note = element("p", { class: "hint", role: "status", "data-testid": "team-retention-note" });
    #error = element("p", { class: "form-error", role: "alert" });
    #form = element("form", { method: "dialog" }, [
        element("label", { for: "team-retention-days" }, [text("retention.days")]),
        element("div", { class: "invite-line" }, [
            this.#days,
            element("button", { class: "primary", "data-testid": "team-retention-save" }, [
                text("retention.save")]),
        ]),
        element("p", { class: "hint" }, [text("retention.hint")]), this.#error, this.#note,
    ]);
    #part = element("details", { "data-testid": "team-retention" }, [
        element("summary", {}, [text("retention.heading")]), this.#form,
    ]);

    constructor(connection) {
        this.#connection = connection;
        byId("team-links").after(this.#part);
        this.#form.addEventListener("submit", (event) => {
            event.preventDefault();
            this.#save();
        });
    }

    /** Shows a team's retention, if this user `manages` the team. */
    show(team, manages) {
        const isSame = this.#team?.id === team.id
            && this.#team.retention_days === team.retention_days;
        this.#part.hidden = !manages;
        this.#team = team;
        // What is being typed stays.
        if (isSame && this.#part.open) return;
        this.#days.value = team.retention_days ?? "";
    }

    /** Closes the part, for another team. */
    close() {
        this.#part.open = false;
        this.#team = null;
        this.#note.textContent = "";
        this.#error.textContent = "";
    }

    async #save() {
        const days = Number.isNaN(this.#days.valueAsNumber) ? undefined : this.#days.valueAsNumber;
        this.#note.textContent = "";
        this.#error.textContent = "";
        try {
            await this.#connection.request("team.retention", { team: this.#team.id, days });
            setText(this.#note, days === undefined
                ? text("retention.kept") : text("retention.set", { count: days }));
        } catch (error) {
            setText(this.#error, error.message);
        }
    }
}
