// When a change of the list deserves a notice. Pure functions.

/**
 * The kind of notice for a change of a conversation's row from `before` to `after`: "mention",
 * "answer", or null. `isAway`: the user does not look at the page; `isHidden`: the page is not even
 * visible; `isAwaited`: the user waits for an answer there.
 */
export function noticeOf(before, after, { isAway, isHidden, isAwaited }) {
    const grows = (name) => (after[name] ?? 0) > (before?.[name] ?? 0);
    if (isAway && grows("mentions")) return "mention";
    const wasSeenRunning = (before?.running ?? 0) > 0;
    // Changes are merged: a short answer may begin and end between two of them.
    const hasWholeTurn = before?.n !== undefined && after.n - before.n >= turnEventCount;
    const hasEnded = (after.running ?? 0) === 0 && (wasSeenRunning || hasWholeTurn);
    return isHidden && isAwaited && hasEnded ? "answer" : null;
}

/** A question, its answer, and the answer's end. */
const turnEventCount = 3;

/** The start of a text, for a notice. */
export function excerptOf(text, length = 140) {
    const characters = [...text.replaceAll(/\s+/gu, " ").trim()];
    return characters.length <= length ? characters.join("")
        : `${characters.slice(0, length - 1).join("")}…`;
}
