// Copies text. The clipboard API exists only over https and on localhost; over plain http the old
// method still works.

/** Copies `text` to the clipboard. Returns whether that worked. */
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
    // Nothing outside an open dialog can be selected.
    (document.activeElement?.closest("dialog") ?? document.body).append(field);
    const focused = document.activeElement;
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    focused?.focus();
    return isCopied;
}
