// The sign-in card: signing in here or with the server's OpenID provider, creating an account with a
// sign-up link, or setting a new password with an administrator's link.

import { forgetLink, keepPlace } from "../address.js";
import { openIDOffer, resetPassword, signIn, signUp } from "../backend.js";
import { byId, setText } from "../element.js";
import { text } from "../language.js";
import { PasswordField } from "./password-field.js";

const purposes = ["sign-in", "sign-up", "reset"];

/** Why the provider's sign-in failed. */
const failures = ["out-of-date", "declined", "no-account", "too-many", "unavailable"];

/** The sign-in card. */
export class SignInView {
    #purpose = "sign-in";
    #token = null;
    #place = "";
    #onDone = null;
    #password = new PasswordField(byId("sign-in-password"));

    constructor() {
        byId("sign-in-form").addEventListener("submit", (event) => {
            event.preventDefault();
            this.#submit();
        });
        byId("sign-in-openid").addEventListener("click", () => keepPlace(this.#place));
    }

    /**
     * Shows the card. `link`: from `takeLink`, or none. `note`: why the user sees it. `name`: the
     * probable user name. `failure`: why the provider's sign-in failed. `place`: the address's
     * fragment to return to. `onDone(user)`: called after signing in.
     */
    show({ link = null, note = "", name = "", failure = null, place = "", onDone }) {
        this.#purpose = purposes.includes(link?.purpose) ? link.purpose : "sign-in";
        this.#token = link?.token ?? null;
        this.#place = place;
        this.#onDone = onDone;
        const lead = this.#purpose === "sign-in" ? "" : text(`${this.#purpose}.lead`);
        setText(byId("sign-in-title"), text(`${this.#purpose}.title`));
        setText(byId("sign-in-submit"), text(`${this.#purpose}.button`));
        setText(byId("sign-in-lead"), note || lead);
        setText(byId("sign-in-error"), failure ? failureText(failure) : "");
        this.#offerProvider();
        const isReset = this.#purpose === "reset";
        byId("sign-in-name").value = name;
        byId("sign-in-name").required = !isReset;
        byId("sign-in-name").hidden = isReset;
        byId("sign-in-name-label").hidden = isReset;
        byId("sign-in-password").value = "";
        this.#password.isNew = this.#purpose !== "sign-in";
        byId("sign-in-password").autocomplete =
            this.#purpose === "sign-in" ? "current-password" : "new-password";
        byId("sign-in").hidden = false;
        byId(isReset || name ? "sign-in-password" : "sign-in-name").focus();
    }

    /** Hides the card. */
    hide() {
        byId("sign-in").hidden = true;
    }

    /** Shows the provider's button if the server has one. */
    async #offerProvider() {
        byId("sign-in-other").hidden = true;
        if (this.#purpose !== "sign-in") return;
        const offer = await openIDOffer();
        setText(byId("sign-in-provider"), offer?.provider ?? "");
        byId("sign-in-other").hidden = offer === null || this.#purpose !== "sign-in";
    }

    async #submit() {
        const password = byId("sign-in-password");
        const button = byId("sign-in-submit");
        const problem = byId("sign-in-error");
        problem.textContent = "";
        button.disabled = true;
        try {
            const user = await this.#send(byId("sign-in-name").value.trim(), password.value);
            password.value = "";
            if (user) this.#onDone(user);
        } catch (error) {
            setText(problem, error.message);
            password.select();
            password.focus();
        } finally {
            button.disabled = false;
        }
    }

    /** Resolves to the signed-in user; null if nobody is signed in yet. */
    async #send(name, password) {
        if (this.#purpose === "sign-in") return signIn(name, password);
        if (this.#purpose === "sign-up") {
            const user = await signUp(this.#token, name, password);
            forgetLink();
            return user;
        }
        await resetPassword(this.#token, password);
        forgetLink();
        const note = text("reset.done");
        this.show({ note, place: this.#place, onDone: this.#onDone });
        return null;
    }
}

function failureText(failure) {
    return text(`sign-in.failure.${failures.includes(failure) ? failure : "other"}`);
}
