// Shared by all dialogs, and the two small ones: export and confirmation.

import { exportAddress } from "../backend.js";
import { byId, setText } from "../element.js";

/** Makes buttons with `data-close`, and clicks outside, close a dialog. Call once. */
export function prepareDialogs() {
    for (const dialog of document.querySelectorAll("dialog")) {
        dialog.addEventListener("click", ({ target }) => {
            if (target === dialog || target.closest("[data-close]")) dialog.close();
        });
    }
}

/**
 * Closes open dialogs, which would cover the sign-in card. Returns a function that opens them again
 * with their contents; a pending confirmation counts as declined, and a dialog that was made for one
 * question is gone.
 */
export function suspendDialogs() {
    const dialogs = [...document.querySelectorAll("dialog[open]")];
    for (const dialog of dialogs) dialog.close();
    return () => {
        for (const dialog of dialogs) {
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

/** Opens the export dialog of a conversation. */
export function showExport(conversation) {
    for (const link of byId("export-dialog").querySelectorAll("[data-format]")) {
        link.href = exportAddress(conversation, link.dataset.format);
    }
    byId("export-dialog").showModal();
}

/**
 * Asks for confirmation before something irreversible, or with `isHarmless`, before something
 * noteworthy. Resolves to whether the user agreed.
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
