// A team's name, its deletion, and what was done in it: the part of its dialog for owners and admins.

import { detailOf, preciseMomentOf } from "../administration/format.js";
import { byId, element, setText } from "../element.js";
import { text } from "../language.js";
import { actionOf } from "../sentences.js";
import { confirmed, drawRows } from "./dialogs.js";
import { showToast } from "./toast.js";

const nameMax = 64;
const pageCount = 50;

/** The part of a team's dialog. */
export class TeamManagement {
    #connection;
    #team = null;
    #name = element("input", {
        id: "team-rename-name", "data-testid": "team-rename-name", required: true,
        maxlength: nameMax, autocomplete: "off",
    });
    #delete = button("team-delete", text("team.delete"), () => this.#remove(), "danger begins");
    #error = element("p", {
        class: "form-error", role: "alert", "data-testid": "team-management-error",
    });
    #note = element("p", { class: "hint", role: "status" });
    #form = element("form", { method: "dialog" }, [
        element("label", { for: "team-rename-name" }, [text("team.new.name")]),
        element("div", { class: "invite-line" }, [
            this.#name,
            element("button", { class: "primary", "data-testid": "team-rename" }, [
                text("common.save")]),
        ]),
    ]);
    #part = element("details", { "data-testid": "team-management" }, [
        element("summary", {}, [text("team.manage")]),
        this.#form, this.#delete, this.#error, this.#note,
    ]);
    #entries = [];
    #cursor = null;
    #log = element("ul", {
        class: "entries", "data-testid": "team-audit", "aria-label": text("team.audit"),
    });
    #more = button("team-audit-more", text("team.audit.more"), () => this.#load(), "plain begins");
    #logError = element("p", { class: "form-error", role: "alert" });
    #audit = element("details", { "data-testid": "team-audit-part" }, [
        element("summary", {}, [text("team.audit")]), this.#log, this.#more, this.#logError,
    ]);

    constructor(connection) {
        this.#connection = connection;
        byId("team-note").before(this.#part, this.#audit);
        this.#form.addEventListener("submit", (event) => {
            event.preventDefault();
            this.#rename();
        });
        this.#audit.addEventListener("toggle", () => {
            if (this.#audit.open) this.#load({ isFirst: true });
        });
    }

    /** Shows the part for a team. */
    show(team) {
        const isOther = this.#team?.id !== team.id;
        // What is being typed stays.
        if (isOther || !this.#part.open) this.#name.value = team.name;
        if (isOther) this.#close();
        this.#team = team;
        this.#delete.hidden = team.role !== "owner";
        this.#part.hidden = false;
        this.#audit.hidden = false;
    }

    /** Hides the part, where this user may not do any of it. */
    hide() {
        this.#close();
        this.#part.hidden = true;
        this.#audit.hidden = true;
    }

    #close() {
        this.#part.open = false;
        this.#audit.open = false;
        this.#error.textContent = "";
        this.#note.textContent = "";
    }

    #rename() {
        const name = this.#name.value.trim();
        return this.#do(this.#error, async () => {
            await this.#connection.request("team.update", { team: this.#team.id, name });
            setText(this.#note, text("team.renamed", { name }));
        });
    }

    async #remove() {
        const { id, name } = this.#team;
        const isAgreed = await confirmed({
            heading: text("team.delete.heading", { name }),
            text: text("team.delete.text"),
            agree: text("common.delete"),
        });
        if (!isAgreed) return;
        await this.#do(this.#error, async () => {
            await this.#connection.request("team.delete", { team: id });
            byId("team-dialog").close();
            showToast(text("team.deleted", { name }));
        });
    }

    /** Loads the newest entries, or the page after those that are shown. */
    #load({ isFirst = false } = {}) {
        const { id } = this.#team;
        const cursor = isFirst ? undefined : this.#cursor;
        return this.#do(this.#logError, async () => {
            const page = await this.#connection.request(
                "team.audit", { team: id, cursor, limit: pageCount });
            if (this.#team.id !== id) return;
            this.#entries = isFirst ? page.entries : [...this.#entries, ...page.entries];
            this.#cursor = page.cursor ?? null;
            this.#more.hidden = this.#cursor === null;
            drawRows(this.#log, this.#entries.map((entry) => entryRow(entry)), byId("team-done"));
        });
    }

    async #do(problem, action) {
        problem.textContent = "";
        try {
            await action();
        } catch (error) {
            setText(problem, error.message);
        }
    }
}

function entryRow({ at, actor, action, object, detail }) {
    const facts = [actor.name, object, detailOf(detail)].filter(Boolean).join(" · ");
    return element("li", { "data-testid": "team-audit-entry" }, [
        element("span", { class: "what" }, [
            element("span", { class: "name" }, [actionOf(action)]),
            element("span", { class: "about" }, [
                element("time", { datetime: at }, [preciseMomentOf(at)]), ` · ${facts}`]),
        ]),
    ]);
}

function button(testID, label, action, className) {
    const attributes = { type: "button", class: className, "data-testid": testID };
    const node = element("button", attributes, [label]);
    node.addEventListener("click", action);
    return node;
}
