// A file that is dragged into the page is imported, after a look at what would come of it.

import { element } from "../element.js";
import { text } from "../language.js";
import { showToast } from "./toast.js";

/** Opens the import dialog, with a file or without. */
export async function openImport(file = null) {
    try {
        (await import("./import-dialog.js")).openDialog(file);
    } catch {
        showToast(text("conversations.part.missing"));
    }
}

/** Follows drags of files over the workspace. Call once. */
export function followFileDrops() {
    const sign = element("div", { class: "file-drop", "data-testid": "file-drop", hidden: true }, [
        element("p", {}, [text("import.drop")])]);
    document.body.append(sign);
    const hasFile = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
    window.addEventListener("dragover", (event) => {
        if (!hasFile(event)) return;
        // Without this the browser would leave the page and show the file.
        event.preventDefault();
        sign.hidden = document.querySelector("dialog[open]") !== null;
        event.dataTransfer.dropEffect = sign.hidden ? "none" : "copy";
    });
    window.addEventListener("dragleave", ({ relatedTarget }) => {
        if (relatedTarget === null) sign.hidden = true;
    });
    window.addEventListener("drop", (event) => {
        if (!hasFile(event)) return;
        event.preventDefault();
        const isOffered = !sign.hidden;
        sign.hidden = true;
        const { files } = event.dataTransfer;
        if (!isOffered) return;
        if (files.length === 1) openImport(files[0]);
        else showToast(text("import.one"));
    });
}
