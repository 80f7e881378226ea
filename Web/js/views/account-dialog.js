// The account dialog: sessions, password, API keys, signing out, and deletion.

import { byId, element, setAttribute, setText } from "../element.js";
import { text as worded } from "../language.js";
import { deviceOf, endedElsewhereOf, signInNoteOf, usageOf } from "../wording.js";
import { appearancePart } from "./appearance-part.js";
import { AccountDeleteDialog } from "./account-delete-dialog.js";
import { drawRows, onSubmit } from "./dialogs.js";
import { KeyPart } from "./key-part.js";
import { languagePart } from "./language-part.js";
import { PasswordField } from "./password-field.js";
import { ArchivePart } from "./archive.js";
import { NotificationPart } from "./notification-part.js";
import { TransferPart } from "./transfer-part.js";

/** The account dialog. Dispatches "sign-out" on request, and "deleted". */
export class AccountDialog extends EventTarget {
    #connection;
    #keys;

    constructor(connection, user) {
        super();
        this.#connection = connection;
        this.#keys = new KeyPart(connection, user);
        new ArchivePart(connection);
        new NotificationPart();
        new TransferPart();
        new AccountDeleteDialog(connection, user).addEventListener("deleted", () => {
            byId("account-dialog").close();
            this.dispatchEvent(new CustomEvent("deleted"));
        });
        setText(byId("account-name"), user.name);
        byId("password-name").value = user.name;
        byId("account-open").addEventListener("click", () => this.#open());
        byId("end-other-sign-ins").addEventListener("click", () => this.#endOthers());
        byId("sign-out").addEventListener("click", () => {
            byId("account-dialog").close();
            this.dispatchEvent(new CustomEvent("sign-out"));
        });
        byId("account-dialog").addEventListener("close", () => this.#forget());
        byId("password-part").before(appearancePart(), languagePart());
        new PasswordField(byId("password-new"));
        byId("account-done").before(licensesLink());
        onSubmit("password", () => this.#changePassword());
    }

    /** Opens it at the archived and deleted conversations. */
    openArchive() {
        this.#open();
        byId("archive-part").open = true;
        byId("archive-part").scrollIntoView();
        byId("archive-part").querySelector("summary").focus();
    }

    #open() {
        byId("account-error").textContent = "";
        byId("account-note").textContent = "";
        byId("password-part").open = false;
        byId("appearance-part").open = false;
        byId("language-part").open = false;
        byId("account-dialog").showModal();
        byId("archive-part").open = false;
        byId("transfer-part").open = false;
        this.#list();
        this.#showUsage();
        this.#keys.open();
    }

    /** Clears secrets when the dialog closes. */
    #forget() {
        byId("password-form").reset();
        byId("password-error").textContent = "";
        this.#keys.forget();
    }

    /** Shows the usage of today and this month, if the server counts it. */
    async #showUsage() {
        try {
            setText(byId("account-usage"), usageOf(await this.#connection.request("usage.get")));
        } catch {
            byId("account-usage").textContent = "";
        }
    }

    async #list() {
        try {
            const { sessions } = await this.#connection.request("session.list");
            this.#draw(sessions);
        } catch (error) {
            const isLacking = error.code === "unknown_op";
            setText(byId("account-error"), isLacking ? "" : error.message);
        }
    }

    #draw(sessions) {
        // The current session comes first, whichever was used last.
        const own = sessions.filter(({ current }) => current);
        const others = sessions.filter(({ current }) => !current);
        const rows = [...own, ...others].map((session) => this.#row(session));
        drawRows(byId("sign-in-list"), rows, byId("account-done"));
        byId("sign-ins-heading").hidden = false;
        byId("end-other-sign-ins").hidden = others.length === 0;
    }

    #row(session) {
        const device = deviceOf(session.device);
        const parts = [element("span", { class: "what" }, [
            element("span", { class: "name", title: session.device }, [device]),
            element("span", { class: "about" }, [signInNoteOf(session)]),
        ])];
        if (!session.current) {
            const button = element("button", { type: "button", class: "danger" }, [worded("session.end")]);
            setAttribute(button, "aria-label", worded("session.end.of", { device }));
            button.addEventListener("click", () => this.#end(session, device));
            parts.push(button);
        }
        const attributes = { "data-testid": "sign-in-row", "data-current": session.current };
        return element("li", attributes, parts);
    }

    async #end({ id }, device) {
        await this.#do(async () => {
            await this.#connection.request("session.revoke", { session: id });
            setText(byId("account-note"), worded("session.ended.of", { device }));
        });
        await this.#list();
    }

    async #endOthers() {
        await this.#do(async () => {
            const { ended } = await this.#connection.request("session.revoke_others");
            setText(byId("account-note"), endedElsewhereOf(ended));
        });
        await this.#list();
    }

    async #changePassword() {
        const fields = { old: byId("password-old").value, new: byId("password-new").value };
        await this.#connection.request("account.password", fields);
        byId("password-form").reset();
        byId("password-part").open = false;
        setText(byId("account-note"), worded("password.changed"));
        byId("account-done").focus();
        await this.#list();
    }

    async #do(action) {
        byId("account-error").textContent = "";
        try {
            await action();
        } catch (error) {
            setText(byId("account-error"), error.message);
        }
    }
}

/** The works of others in the program and the page. */
function licensesLink() {
    const attributes = {
        "href": "licenses.txt", "target": "_blank", "rel": "noopener",
        "data-testid": "licenses", "class": "licenses",
    };
    return element("a", attributes, [worded("account.licenses")]);
}
