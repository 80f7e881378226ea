// A field for a new password: the rule stands below it, and turns red while what is typed breaks it.

import { element } from "../element.js";
import { text } from "../language.js";
import { isPasswordLong } from "../password-rule.js";

/** Adds the rule to a field. */
export class PasswordField {
    #field;
    #rule;
    #isNew = true;

    constructor(field) {
        this.#field = field;
        this.#rule = element("p", {
            id: `${field.id}-rule`, class: "hint password-rule", "data-testid": `${field.id}-rule`,
        }, [text("password.rule")]);
        field.after(this.#rule);
        field.addEventListener("input", () => this.#check());
        field.form.addEventListener("reset", () => this.#show(true));
        this.#check();
    }

    /** Whether a new password is asked for, or one that exists, to which no rule applies. */
    set isNew(isNew) {
        this.#isNew = isNew;
        this.#check();
    }

    #check() {
        this.#show(!this.#isNew || this.#field.value === "" || isPasswordLong(this.#field.value));
    }

    #show(isFine) {
        this.#rule.hidden = !this.#isNew;
        this.#rule.classList.toggle("form-error", !isFine);
        this.#field.setCustomValidity(isFine ? "" : text("password.rule"));
        if (isFine) this.#field.removeAttribute("aria-invalid");
        else this.#field.setAttribute("aria-invalid", "true");
        if (this.#isNew) this.#field.setAttribute("aria-describedby", this.#rule.id);
        else this.#field.removeAttribute("aria-describedby");
    }
}
