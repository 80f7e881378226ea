// What the dialogs have in common, and the two small ones: export and "are you sure".

import { exportAddress } from "../backend.js";
import { byId, setText } from "../element.js";

/** Makes the buttons with `data-close` and a click beside it close a dialog. Call once. */
export function prepareDialogs() {
    for (const dialog of document.querySelectorAll("dialog")) {
        dialog.addEventListener("click", ({ target }) => {
            if (target === dialog || target.closest("[data-close]")) dialog.close();
        });
    }
}

/**
 * Closes what dialogs are open, as they would lie above the sign-in card. Returns what opens them again,
 * with what was written in them; a question that was asked counts as answered with no.
 */
export function suspendDialogs() {
    const dialogs = [...document.querySelectorAll("dialog[open]")];
    for (const dialog of dialogs) dialog.close();
    return () => {
        for (const dialog of dialogs) if (dialog.id !== "confirm-dialog") dialog.showModal();
    };
}

/**
 * Shows rows in a list, anew. Whoever was on one of them with the keyboard stays in its place, or is
 * taken to `otherwise` where no row is left that has a button.
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
 * Makes a dialog's form do `action` when it is submitted, and stay open with the error's sentence
 * where that fails.
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

/** Opens the export dialog of a conversation. */
export function showExport(conversation) {
    for (const link of byId("export-dialog").querySelectorAll("[data-format]")) {
        link.href = exportAddress(conversation, link.dataset.format);
    }
    byId("export-dialog").showModal();
}

/**
 * Asks before something that can't be undone, or, where it `isHarmless`, that is to be known before.
 * Resolves to whether it was agreed to.
 */
export function confirmed({ heading, text, agree, isHarmless = false }) {
    const dialog = byId("confirm-dialog");
    setText(byId("confirm-heading"), heading);
    setText(byId("confirm-text"), text);
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
