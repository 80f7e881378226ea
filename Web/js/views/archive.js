// Archived and deleted conversations in the account dialog, which can be restored.

import { byId, element, setAttribute, setText } from "../element.js";
import { text } from "../language.js";
import { archiveNoteOf, titleOf } from "../wording.js";
import { drawRows } from "./dialogs.js";

const pageCount = 100;

/** The part of the account dialog about archived and deleted conversations. */
export class ArchivePart {
    #connection;

    constructor(connection) {
        this.#connection = connection;
        byId("archive-part").addEventListener("toggle", () => {
            if (byId("archive-part").open) this.#list();
        });
    }

    async #list() {
        byId("archive-error").textContent = "";
        try {
            const [archived, deleted] = await Promise.all([
                this.#connection.request(
                    "conversation.list", { archived: true, limit: pageCount }),
                this.#connection.request("conversation.deleted.list", { limit: pageCount }),
            ]);
            this.#draw(archived.conversations, deleted.conversations);
        } catch (error) {
            setText(byId("archive-error"), error.message);
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
        drawRows(byId("archive-list"), rows, byId("account-done"));
        byId("archive-none").hidden = rows.length > 0;
    }

    #row(conversation, op, fields) {
        const title = titleOf(conversation);
        const button = element("button", { type: "button" }, [text("archive.restore")]);
        setAttribute(button, "aria-label", text("archive.restore.of", { title }));
        button.addEventListener("click", async () => {
            try {
                await this.#connection.request(op, fields);
                await this.#list();
            } catch (error) {
                setText(byId("archive-error"), error.message);
            }
        });
        return element("li", { "data-testid": "archive-row" }, [
            element("span", { class: "what" }, [
                element("span", { class: "name", dir: "auto" }, [title]),
                element("span", { class: "about" }, [archiveNoteOf(conversation)]),
            ]),
            button,
        ]);
    }
}
