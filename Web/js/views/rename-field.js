// Renames in place: a field takes the place of a title. Enter and leaving the field save, Escape does not.

import { element } from "../element.js";
import { text } from "../language.js";

const titleMax = 500;

/**
 * Shows a field with `title` instead of `node`, and calls `save(title)` with a changed title.
 * `restore()` gives the focus back after Enter and Escape.
 */
export function renameInPlace(node, title, { save, restore }) {
    const field = element("input", {
        class: "rename-field", "data-testid": "rename-field", value: title, dir: "auto",
        "aria-label": text("conversations.rename.field"), autocomplete: "off", maxlength: titleMax,
    });
    let isOver = false;
    const finish = (isSaved) => {
        if (isOver) return;
        isOver = true;
        const isFocused = document.activeElement === field;
        field.remove();
        node.hidden = false;
        if (isFocused) restore();
        const renamed = field.value.trim();
        if (isSaved && renamed !== title) save(renamed);
    };
    field.addEventListener("keydown", (event) => {
        // The keys are the field's: they neither move in the list nor stop an answer.
        event.stopPropagation();
        if (event.key === "Escape") finish(false);
        if (event.key !== "Enter" || event.isComposing) return;
        event.preventDefault();
        finish(true);
    });
    field.addEventListener("blur", () => queueMicrotask(() => {
        // A row that is moved with its field loses the focus for a moment.
        if (document.activeElement !== field) finish(true);
    }));
    node.hidden = true;
    node.after(field);
    field.focus();
    field.select();
}
