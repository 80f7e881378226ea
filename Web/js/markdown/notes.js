// The way from a reference to its note and back. These are buttons, not links: the page's address names
// the open conversation.

/** What a click on `target` leads to: a note, the reference to it, or null. */
export function byNumber(container, target) {
    const button = target.closest?.(".note-link");
    if (!button) return null;
    const { note, noteBack } = button.dataset;
    return note === undefined
        ? container.querySelector(`[data-note="${Number(noteBack)}"]`)
        : container.querySelector(`[data-note-text="${Number(note)}"]`);
}
