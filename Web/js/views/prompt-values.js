// Asks for the values of a prompt's variables.

import { element } from "../element.js";
import { text } from "../language.js";
import { closeButton, createDialog, dialogButtons } from "./dialogs.js";

/** Resolves to `{name: value}`, or to null if the user cancels. */
export function askForValues(promptName, variables) {
    const fields = variables.map((name, at) => element("textarea", {
        id: `prompt-value-${at}`, rows: 1, required: true, dir: "auto",
        "data-testid": "prompt-value", "data-variable": name,
    }));
    const form = element("form", { method: "dialog" }, [
        ...fields.flatMap((field, at) => [
            element("label", { for: field.id, dir: "auto" }, [variables[at]]), field]),
        dialogButtons(
            closeButton(text("common.cancel")),
            element("button", { class: "primary", "data-testid": "prompt-values-use" }, [
                text("prompts.use")])),
    ]);
    const dialog = createDialog(
        "prompt-values", text("prompts.values", { name: promptName }), [form]);
    return new Promise((resolve) => {
        form.addEventListener("submit", () => resolve(Object.fromEntries(
            fields.map((field) => [field.dataset.variable, field.value.trim()]))));
        // After the submission this changes nothing.
        dialog.addEventListener("close", () => resolve(null));
        dialog.showModal();
    });
}
