// Deleting the user's account: shows the consequences, and asks for the password.

import { byId } from "../element.js";
import { onSubmit } from "./dialogs.js";

/** The dialog. Dispatches "deleted" after the deletion. */
export class AccountDeleteDialog extends EventTarget {
    #connection;

    constructor(connection, user) {
        super();
        this.#connection = connection;
        byId("account-delete-name").value = user.name;
        byId("account-delete-open").addEventListener("click", () => this.#open());
        byId("account-delete-dialog").addEventListener("close", () => this.#forget());
        onSubmit("account-delete", () => this.#delete());
    }

    #open() {
        byId("account-delete-dialog").showModal();
        byId("account-delete-password").focus();
    }

    /** Clears secrets when the dialog closes. */
    #forget() {
        byId("account-delete-password").value = "";
        byId("account-delete-error").textContent = "";
    }

    async #delete() {
        const button = byId("account-delete-submit");
        const field = byId("account-delete-password");
        button.disabled = true;
        try {
            // A user of an OpenID provider has no password.
            await this.#connection.request(
                "account.delete", { password: field.value || undefined });
            byId("account-delete-dialog").close();
            this.dispatchEvent(new CustomEvent("deleted"));
        } catch (error) {
            field.select();
            field.focus();
            throw error;
        } finally {
            button.disabled = false;
        }
    }
}
