// Deleting one's own account: what goes and what stays, and the password once more.

import { byId } from "../element.js";
import { onSubmit } from "./dialogs.js";

/** The dialog. It dispatches "deleted" when the account is gone. */
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

    /** What was typed in secret does not outlast the dialog. */
    #forget() {
        byId("account-delete-password").value = "";
        byId("account-delete-error").textContent = "";
    }

    async #delete() {
        const button = byId("account-delete-submit");
        const field = byId("account-delete-password");
        button.disabled = true;
        try {
            // Who signs in with a provider has no password to say.
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
