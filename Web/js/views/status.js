// The status texts in the conversation's head, the list's foot and the banner: title, members,
// model, and the connection.

import { withoutMarks } from "../direction.js";
import { byId, setAttribute, setText } from "../element.js";
import { text } from "../language.js";
import { reasonOf } from "../sentences.js";
import { endOf, fullTime, initials, participants, titleOf } from "../wording.js";

/** A disconnection shorter than this shows no banner. */
const graceMilliseconds = 1_200;

/** The status texts. */
export class StatusView {
    #connection;
    #user;
    #models;
    #teams;
    #showsModel = true;
    #conversation = null;
    #isLate = false;
    #graceTimer = null;

    /** `models`: the server's, whose loading the banner shows; `teams`: this user's. */
    constructor(connection, user, models, teams) {
        this.#connection = connection;
        this.#user = user;
        this.#models = models;
        this.#teams = teams;
        setText(byId("user-name"), user.name);
        setText(byId("user-avatar"), initials(user.name));
        connection.addEventListener("state", () => this.#connectionChanged());
        models.addEventListener("changed", () => {
            this.#drawBanner();
            this.#drawNote();
        });
        this.#connectionChanged();
    }

    /**
     * Shows the open conversation's title and members; null if none is open. `showsModel`: whether
     * to include the model's name.
     */
    show(conversation, showsModel) {
        this.#conversation = conversation;
        this.#showsModel = showsModel;
        const title = titleOf(conversation);
        setText(byId("conversation-title"), title);
        document.title = conversation ? `${withoutMarks(title)} · Stoa` : "Stoa";
        this.#drawBanner();
        this.#drawMarks();
        this.#drawNote();
    }

    #connectionChanged() {
        const { state } = this.#connection;
        const label = byId("connection-state");
        setText(label, text(`connection.${state}`));
        label.dataset.connection = state;
        if (state === "live") {
            clearTimeout(this.#graceTimer);
            this.#graceTimer = null;
            this.#isLate = false;
        } else {
            this.#graceTimer ??= setTimeout(() => {
                this.#isLate = true;
                this.#drawBanner();
            }, graceMilliseconds);
        }
        this.#drawBanner();
    }

    /** Draws whether it expires, and whether this user has archived it. */
    #drawMarks() {
        const end = this.#conversation?.expires_at ?? null;
        byId("conversation-end").hidden = end === null;
        setText(byId("conversation-end-text"), end === null ? "" : endOf(end));
        setAttribute(byId("conversation-end"), "title", end === null ? "" : fullTime(end));
        byId("conversation-archived").hidden = this.#conversation?.archived !== true;
    }

    #drawNote() {
        const members = this.#conversation?.members ?? [];
        const answering = this.#models.answering(this.#conversation);
        const model = this.#showsModel ? answering?.name : "";
        const people = members.length > 1 ? participants(members, this.#user.id) : "";
        const team = this.#teams.get(this.#conversation?.team)?.name;
        setText(byId("conversation-note"), [team, people, model].filter(Boolean).join(" · "));
    }

    #drawBanner() {
        const connectionSentence = this.#connectionSentence();
        const model = this.#models.answering(this.#conversation);
        const isMoving = model?.state === "loading" || model?.state === "fetching";
        const sentence = connectionSentence || this.#modelSentence(model);
        // Set only on changes: a status is announced each time.
        if (byId("banner-text").textContent !== sentence) {
            setText(byId("banner-text"), sentence);
        }
        byId("banner").hidden = sentence === "";
        byId("banner-progress").hidden = connectionSentence !== "" || !isMoving;
        byId("banner-progress").value = model?.progress ?? 0;
    }

    #connectionSentence() {
        const { state } = this.#connection;
        if (state === "refused") return text("connection.banner.refused");
        if (state === "live" || !this.#isLate) return "";
        return text("connection.banner.waiting");
    }

    #modelSentence(model) {
        const wanted = this.#conversation?.model;
        switch (model?.state) {
        case "loading": return text("model.banner.loading", { name: model.name });
        case "fetching": return text("model.banner.fetching", { name: model.name });
        case "failed": return text("model.banner.failed", {
            name: model.name, reason: reasonOf(model) ?? text("model.banner.reason"),
        });
        default:
            if (!model || !wanted || wanted === model.name) return "";
            return text(this.#models.get(wanted) ? "model.banner.unloaded" : "model.banner.gone", {
                wanted, name: model.name,
            });
        }
    }
}
