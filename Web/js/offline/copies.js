// What is stored for reading without the server, as values: which rows and messages, and how a copy
// becomes a timeline again. No storage, no DOM.

/** The most rows, conversations, and characters of a conversation's messages that are stored. */
export const rowsMax = 40;
export const conversationsMax = 20;
const charactersMax = 500_000;

/** The rows of the list that are stored: never those of temporary conversations. */
export function rowsToStore(rows) {
    return rows.slice(0, rowsMax).filter((row) => !isTemporary(row));
}

/**
 * The copy of a conversation that was read at `now`: `{id, at, reply}`, where `reply` is what
 * `conversation.watch` would send. Null if there is nothing to store: it is temporary, or not loaded.
 */
export function copyOf(timeline, now) {
    const { id, n, conversation } = timeline;
    if (n === null || conversation === null || isTemporary(conversation)) return null;
    const messages = newest([...timeline.messages.values()].filter(({ isFinal }) => isFinal));
    const selected = timeline.selected !== null;
    return { id, at: now, reply: { n, snapshot: { conversation, selected, messages } } };
}

/** Puts a copy into an empty timeline, which will request everything when it is watched. */
export function restore(timeline, copy) {
    const outcome = timeline.adopt(copy.reply);
    timeline.forget();
    return outcome;
}

/** The copies to remove: the longest unread ones above the limit, and those whose row is gone. */
export function surplus(copies, rows) {
    const listed = new Set(rows.map(({ id }) => id));
    const latest = [...copies].sort((one, other) => other.at - one.at);
    return latest.filter(({ id }, index) => index >= conversationsMax || !listed.has(id))
        .map(({ id }) => id);
}

function isTemporary({ expires_at: end }) {
    return end !== undefined && end !== null;
}

/** The newest messages whose texts fit, as the objects of the protocol. */
function newest(messages) {
    let room = charactersMax;
    const fitting = [];
    for (const message of messages.reverse()) {
        room -= message.text.length;
        if (room < 0 && fitting.length > 0) break;
        fitting.unshift(objectOf(message));
    }
    return fitting;
}

function objectOf(message) {
    return {
        id: message.id,
        role: message.role,
        author: message.author ?? undefined,
        author_name: message.authorName ?? undefined,
        created_at: message.createdAt,
        text: message.text,
        state: message.state,
        finish: message.finish ?? undefined,
        usage: message.usage ?? undefined,
        error: message.error ?? undefined,
        dropped_messages: message.droppedMessages,
        summarized_messages: message.summarizedMessages,
        parent: message.parent ?? undefined,
        siblings: message.siblings,
        feedback: message.feedback,
        mentions: message.mentions,
    };
}
