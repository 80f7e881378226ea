// Copying text. The clipboard's own interface is there only over https and on localhost; a server
// in the office is often reached over plain http, where the old way still works.

/** Puts `text` on the clipboard. Returns whether that worked. */
export async function copyText(text) {
    try {
        if (navigator.clipboard) {
            await navigator.clipboard.writeText(text);
            return true;
        }
        return copyBySelection(text);
    } catch {
        return false;
    }
}

function copyBySelection(text) {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "visually-hidden";
    // Below an open dialog nothing can be selected.
    (document.activeElement?.closest("dialog") ?? document.body).append(field);
    const focused = document.activeElement;
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    focused?.focus();
    return isCopied;
}
