// The card before everything else: signing in, or making the first account by a sign-up link.

import { signIn, signUp } from "../backend.js";
import { byId } from "../element.js";

/** The sign-in card; shows itself. */
export class SignInView {
    #token;
    #onDone;

    /** `token`: of a sign-up link, or none. `note`: why one is here. `onDone(user)`: signed in. */
    constructor({ token = null, note = "", onDone }) {
        this.#token = token;
        this.#onDone = onDone;
        const form = byId("sign-in-form");
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            this.#submit();
        });
        if (token) {
            byId("sign-in-title").textContent = "Welcome to Stoa";
            byId("sign-in-submit").textContent = "Create account";
            byId("sign-in-password").autocomplete = "new-password";
        }
        byId("sign-in-lead").textContent = token
            ? "Choose a name and a password for the first account. It administers this server."
            : note;
        byId("sign-in").hidden = false;
        byId("sign-in-name").focus();
    }

    async #submit() {
        const name = byId("sign-in-name").value.trim();
        const password = byId("sign-in-password");
        const button = byId("sign-in-submit");
        const problem = byId("sign-in-error");
        problem.textContent = "";
        button.disabled = true;
        try {
            const user = this.#token
                ? await signUp(this.#token, name, password.value)
                : await signIn(name, password.value);
            password.value = "";
            this.#onDone(user);
        } catch (error) {
            problem.textContent = error.message;
            password.select();
            password.focus();
        } finally {
            button.disabled = false;
        }
    }
}
