// What was put away, in the account dialog: conversations that one archived, and those that were deleted
// and can be brought back.

import { byId, element } from "../element.js";
import { putAwayNoteOf, titleOf } from "../wording.js";
import { drawRows } from "./dialogs.js";

const pageCount = 100;

/** The part of the account dialog that is about conversations which were put away. */
export class PutAwayPart {
    #connection;

    constructor(connection) {
        this.#connection = connection;
        byId("put-away-part").addEventListener("toggle", () => {
            if (byId("put-away-part").open) this.#list();
        });
        connection.addEventListener("welcome", () => this.#probe());
    }

    /** Says whether the server can archive and bring back; what does so is hidden where it can't. */
    async #probe() {
        let isThere = true;
        try {
            await this.#connection.request("conversation.deleted.list", { limit: 1 });
        } catch (error) {
            isThere = error.code !== "unknown_op";
        }
        byId("put-away-part").hidden = !isThere;
        byId("menu-archive").hidden = !isThere;
    }

    async #list() {
        byId("put-away-error").textContent = "";
        try {
            const [archived, deleted] = await Promise.all([
                this.#connection.request(
                    "conversation.list", { archived: true, limit: pageCount }),
                this.#connection.request("conversation.deleted.list", { limit: pageCount }),
            ]);
            this.#draw(archived.conversations, deleted.conversations);
        } catch (error) {
            byId("put-away-error").textContent = error.message;
        }
    }

    #draw(archived, deleted) {
        const rows = [
            ...archived.map((conversation) => this.#row(conversation, "conversation.archive", {
                conversation: conversation.id, archived: false,
            })),
            ...deleted.map((conversation) => this.#row(conversation, "conversation.restore", {
                conversation: conversation.id,
            })),
        ];
        drawRows(byId("put-away-list"), rows, byId("account-done"));
        byId("put-away-none").hidden = rows.length > 0;
    }

    #row(conversation, op, fields) {
        const title = titleOf(conversation);
        const button = element("button", { type: "button" }, ["Bring back"]);
        button.setAttribute("aria-label", `Bring back: ${title}`);
        button.addEventListener("click", async () => {
            try {
                await this.#connection.request(op, fields);
                await this.#list();
            } catch (error) {
                byId("put-away-error").textContent = error.message;
            }
        });
        return element("li", { "data-testid": "put-away-row" }, [
            element("span", { class: "what" }, [
                element("span", { class: "name", dir: "auto" }, [title]),
                element("span", { class: "about" }, [putAwayNoteOf(conversation)]),
            ]),
            button,
        ]);
    }
}
