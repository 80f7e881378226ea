// What the head of the conversation, the foot of the list and the banner say: where one is, who is
// there, which model answers, and whether the server is.

import { byId } from "../element.js";
import { initials, participants, titleOf } from "../wording.js";

const pollModelsMilliseconds = 2_000;
/** A connection that comes back this quickly was never worth a banner. */
const graceMilliseconds = 1_200;

const connectionWords = {
    live: "Connected",
    connecting: "Connecting…",
    waiting: "Offline",
    refused: "Refused",
    closed: "Signed out",
};

/** The status texts. */
export class StatusView {
    #connection;
    #user;
    #models = [];
    #conversation = null;
    #isLate = false;
    #graceTimer = null;
    #pollTimer = null;

    constructor(connection, user) {
        this.#connection = connection;
        this.#user = user;
        byId("user-name").textContent = user.name;
        byId("user-avatar").textContent = initials(user.name);
        connection.addEventListener("state", () => this.#connectionChanged());
        this.#connectionChanged();
    }

    /** The server's models; while one loads, its progress is followed. */
    set models(models) {
        this.#models = models;
        this.#drawBanner();
        this.#drawNote();
        clearTimeout(this.#pollTimer);
        if (!models.some(({ state }) => state === "loading")) return;
        this.#pollTimer = setTimeout(async () => {
            const reply = await this.#connection.request("model.list").catch(() => null);
            if (reply) this.models = reply.models;
        }, pollModelsMilliseconds);
    }

    /** Shows the open conversation's title and members; null where none is open. */
    show(conversation) {
        this.#conversation = conversation;
        const title = titleOf(conversation);
        byId("conversation-title").textContent = title;
        document.title = conversation ? `${title} · Stoa` : "Stoa";
        this.#drawBanner();
        this.#drawNote();
    }

    #connectionChanged() {
        const { state } = this.#connection;
        const label = byId("connection-state");
        label.textContent = connectionWords[state];
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

    #drawNote() {
        const members = this.#conversation?.members ?? [];
        const model = this.#conversation?.model ?? this.#models[0]?.name ?? "";
        const people = members.length > 1 ? participants(members, this.#user.id) : "";
        byId("conversation-note").textContent = [people, model].filter(Boolean).join(" · ");
    }

    #drawBanner() {
        const sentence = this.#connectionSentence() || this.#modelSentence();
        byId("banner").textContent = sentence;
        byId("banner").hidden = sentence === "";
    }

    #connectionSentence() {
        const { state } = this.#connection;
        if (state === "refused") {
            return "The server refused this page. Reload it; if that does not help, "
                + "ask your administrator.";
        }
        if (state === "live" || !this.#isLate) return "";
        return "No connection to the server. Trying again: what you write is kept until then.";
    }

    #modelSentence() {
        const name = this.#conversation?.model;
        const model = this.#models.find((candidate) => candidate.name === name) ?? this.#models[0];
        if (model?.state === "failed") return `The model ${model.name} could not be loaded.`;
        if (model?.state !== "loading") return "";
        const percent = Math.floor(100 * (model.progress ?? 0));
        return `Loading ${model.name}…${percent > 0 ? ` ${percent} %` : ""}`;
    }
}
