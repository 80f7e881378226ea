// Which conversations are held, as the audit log tells it. A pure function.

/**
 * The conversations whose latest entry of `conversation.held` and `conversation.released` is that they
 * are held: `[{conversation, by, at, reason}]`, the latest first.
 */
export function heldOf(entries) {
    const latest = new Map();
    for (const entry of entries.toSorted((one, other) => other.id - one.id)) {
        if (!latest.has(entry.object)) latest.set(entry.object, entry);
    }
    return [...latest.values()].filter(({ action }) => action === "conversation.held").map(
        ({ object, actor, at, detail }) => ({
            conversation: object, by: actor.name, at, reason: detail?.reason ?? "",
        }));
}

/** The id of a conversation in a text, which may be its address; null if there is none. */
export function conversationIn(value) {
    const found = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/iu.exec(value);
    return found ? found[0].toLowerCase() : null;
}
