// The way into the administration: its button, and its addresses. The view itself is loaded when it
// is opened.

import { byId } from "../element.js";
import { text } from "../language.js";
import { showToast } from "../views/toast.js";
import { placeOf } from "./place.js";

/**
 * The entry. Dispatches "closed" after the view was left. While it is open, it has the page's title.
 */
export class AdministrationEntry extends EventTarget {
    #context;
    #button = byId("administration-open");
    #view = null;
    #place = null;
    /** The address to return to. */
    #before = "#";

    constructor(connection, models, user) {
        super();
        this.#context = { connection, models, user };
        this.#button.addEventListener("click", () => {
            location.hash = "administration/overview";
        });
        connection.addEventListener("welcome", ({ detail }) => this.#welcome(detail.user));
        document.addEventListener("keydown", (event) => this.#onKey(event), true);
        this.#drawButton();
    }

    /** Whether the administration is what the page shows. */
    get isOpen() {
        return this.#place !== null;
    }

    /** Opens, changes or closes the view as the address says. Returns whether it is open. */
    follow() {
        const place = placeOf(location.hash);
        const wasOpen = this.isOpen;
        this.#place = place;
        byId("workspace").classList.toggle("administration-is-open", place !== null);
        if (place) {
            this.#show();
        } else if (wasOpen) {
            this.#view?.close();
            this.#focusButton();
            this.dispatchEvent(new CustomEvent("closed"));
        }
        this.#before = place ? this.#before : location.hash || "#";
        return place !== null;
    }

    async #show() {
        try {
            const { AdministrationView } = await import("./view.js");
            this.#view ??= new AdministrationView(this.#context);
        } catch {
            showToast(text("administration.unloaded"));
            return;
        }
        // The address may have changed while the module was loaded.
        if (this.#place) this.#view.show(this.#place, this.#before);
    }

    /** Somebody may have become an administrator, or be one no longer. */
    #welcome({ admin = false }) {
        const { user } = this.#context;
        const hasChanged = Boolean(user.admin) !== admin;
        user.admin = admin;
        if (!hasChanged) return;
        this.#drawButton();
        if (this.isOpen) this.#show();
    }

    #drawButton() {
        this.#button.hidden = !this.#context.user.admin;
    }

    /** On a phone the button is in the closed drawer. */
    #focusButton() {
        this.#button.focus();
        if (document.activeElement !== this.#button) byId("drawer-open").focus();
    }

    /** Escape, which stops the open conversation's answer, does not do so from here. */
    #onKey(event) {
        if (event.key !== "Escape" || !this.isOpen || document.querySelector("dialog[open]")) return;
        event.preventDefault();
    }
}
