// API keys in the account dialog: creating one, whose secret is shown once, and revoking one.

import { copyText } from "../clipboard.js";
import { byId, element, setAttribute, setText } from "../element.js";
import { text } from "../language.js";
import { keyNoteOf } from "../wording.js";
import { confirmed, drawRows, onSubmit } from "./dialogs.js";

/** The part of the account dialog about keys. */
export class KeyPart {
    #connection;

    constructor(connection, user) {
        this.#connection = connection;
        byId("key-scope-administer").closest("label").hidden = !user.admin;
        byId("key-copy").addEventListener("click", () => this.#copy());
        onSubmit("key", () => this.#make());
    }

    /**
     * Called when the dialog opens: shows the keys, or nothing if the server does not support them.
     */
    async open() {
        byId("keys-part").open = false;
        await this.#list();
    }

    /** Clears a shown secret. */
    forget() {
        byId("key-secret").value = "";
        byId("key-made").hidden = true;
        byId("key-form").reset();
        byId("key-error").textContent = "";
        byId("key-note").textContent = "";
    }

    async #list() {
        try {
            const { keys } = await this.#connection.request("key.list");
            drawRows(byId("key-list"), keys.map((key) => this.#row(key)), byId("key-name"));
            this.#show(true);
        } catch (error) {
            this.#show(error.code !== "unknown_op");
            setText(byId("key-error"), error.message);
        }
    }

    /** A server without keys cannot change passwords here either. */
    #show(isSupported) {
        byId("keys-part").hidden = !isSupported;
        byId("password-part").hidden = !isSupported;
    }

    #row(key) {
        const button = element("button", { type: "button", class: "danger" }, [text("common.revoke")]);
        setAttribute(button, "aria-label", text("api-key.revoke.of", { name: key.name }));
        button.addEventListener("click", () => this.#revoke(key));
        return element("li", { "data-testid": "key-row" }, [
            element("span", { class: "what" }, [
                element("span", { class: "name", dir: "auto" }, [key.name]),
                element("span", { class: "about" }, [keyNoteOf(key)]),
            ]),
            button,
        ]);
    }

    async #make() {
        const scopes = [...byId("key-form").querySelectorAll("[data-scope]:checked")]
            .map(({ dataset }) => dataset.scope);
        const lifetime = byId("key-lifetime").value;
        const { secret } = await this.#connection.request("key.create", {
            name: byId("key-name").value.trim(),
            scopes,
            expires_in: lifetime === "" ? undefined : Number(lifetime),
        });
        byId("key-form").reset();
        byId("key-secret").value = secret;
        byId("key-made").hidden = false;
        setText(byId("key-note"), text("secret.once"));
        byId("key-copy").focus();
        await this.#list();
    }

    async #copy() {
        const isCopied = await copyText(byId("key-secret").value);
        if (!isCopied) byId("key-secret").select();
        setText(byId("key-note"), text(isCopied ? "secret.copied" : "secret.select"));
    }

    async #revoke(key) {
        const isAgreed = await confirmed({
            heading: text("api-key.revoke.heading"),
            text: text("api-key.revoke.text", { name: key.name }),
            agree: text("common.revoke"),
        });
        if (!isAgreed) return;
        byId("key-error").textContent = "";
        try {
            await this.#connection.request("key.revoke", { key: key.id });
            setText(byId("key-note"), text("api-key.revoked", { name: key.name }));
        } catch (error) {
            setText(byId("key-error"), error.message);
        }
        await this.#list();
    }
}
