// Shared by all dialogs, and the smallest one: confirmation.

import { byId, element, setText } from "../element.js";
import { text } from "../language.js";

/** Makes buttons with `data-close`, and clicks outside, close the dialogs of index.html. Call once. */
export function prepareDialogs() {
    for (const dialog of document.querySelectorAll("dialog")) closeOnClick(dialog);
}

function closeOnClick(dialog) {
    dialog.addEventListener("click", ({ target }) => {
        if (target === dialog || target.closest("[data-close]")) dialog.close();
    });
}

/**
 * Adds a dialog with a heading to the page, for good; closed by buttons with `data-close` and clicks
 * outside. Its id is `NAME-dialog`.
 */
export function makeDialog(name, heading, children) {
    const dialog = dialogNode(`${name}-dialog`, `${name}-heading`, heading, children);
    closeOnClick(dialog);
    document.body.append(dialog);
    return dialog;
}

/**
 * Creates a dialog with a heading, for a part that is loaded when it is first opened. It is removed
 * when it is closed: each opening creates another.
 */
export function createDialog(id, heading, children) {
    const dialog = dialogNode(id, `${id}-heading`, heading, children);
    closeOnClick(dialog);
    dialog.addEventListener("close", () => {
        // Signing in again closes all dialogs for a while, and reopens them.
        if (!dialog.hasAttribute("data-suspended")) dialog.remove();
    });
    document.body.append(dialog);
    return dialog;
}

function dialogNode(id, headingID, heading, children) {
    return element("dialog", { id, "data-testid": id, "aria-labelledby": headingID }, [
        element("div", { class: "card" }, [element("h2", { id: headingID }, [heading]), ...children]),
    ]);
}

/** The row of buttons at the end of a created dialog. */
export function dialogButtons(...buttons) {
    return element("div", { class: "buttons" }, buttons);
}

/** A button that closes its dialog. */
export function closeButton(label = text("common.close")) {
    return element("button", { type: "button", "data-close": true }, [label]);
}

/**
 * Closes open dialogs, which would cover the sign-in card. Returns a function that opens them again
 * with their contents; a pending confirmation counts as declined, and a dialog that was made for one
 * question is gone.
 */
export function suspendDialogs() {
    const dialogs = [...document.querySelectorAll("dialog[open]")];
    for (const dialog of dialogs) {
        dialog.dataset.suspended = "";
        dialog.close();
    }
    return () => {
        for (const dialog of dialogs) {
            delete dialog.dataset.suspended;
            if (dialog.isConnected && dialog.id !== "confirm-dialog") dialog.showModal();
        }
    };
}

/**
 * Redraws the rows of a list. The keyboard focus stays at the same row, or moves to `otherwise` if
 * no row with a button is left.
 */
export function drawRows(list, rows, otherwise) {
    const old = [...list.children];
    const place = old.findIndex((row) => row.contains(document.activeElement));
    list.replaceChildren(...rows);
    if (place < 0) return;
    const near = [...rows.slice(place), ...rows.slice(0, place).reverse()];
    const next = near.map((row) => row.querySelector("button, select")).find(Boolean);
    (next ?? otherwise).focus();
}

/**
 * Runs `action` when a dialog's form is submitted; on failure the dialog stays open and shows the
 * error.
 */
export function onSubmit(name, action) {
    byId(`${name}-form`).addEventListener("submit", async (event) => {
        event.preventDefault();
        const problem = byId(`${name}-error`);
        problem.textContent = "";
        try {
            await action();
        } catch (error) {
            setText(problem, error.message);
        }
    });
}

/**
 * Asks for confirmation before something irreversible, or with `isHarmless`, before something
 * noteworthy. Resolves to whether the user agreed.
 */
export function confirmed({ heading, text: sentence, agree, isHarmless = false }) {
    const dialog = byId("confirm-dialog");
    setText(byId("confirm-heading"), heading);
    setText(byId("confirm-text"), sentence);
    setText(byId("confirm-yes"), agree);
    byId("confirm-yes").classList.toggle("danger", !isHarmless);
    dialog.returnValue = "";
    byId("confirm-yes").value = "yes";
    dialog.showModal();
    return new Promise((resolve) => {
        const answer = () => resolve(dialog.returnValue === "yes");
        dialog.addEventListener("close", answer, { once: true });
    });
}
