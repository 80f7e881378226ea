// The members whom a question names: where their names stand in it.

import { asText, element } from "./element.js";

/** Shows a text with the names of `mentions`, as messages have them, marked; the reader's own more. */
export function showWithMentions(node, text, mentions, ownID) {
    node.replaceChildren(...asText(mentionParts(text, mentions).map(({ said, user }) => {
        if (!user) return said;
        const kind = user.id === ownID ? "mention of-me" : "mention";
        return element("span", { class: kind }, [said]);
    })));
}

/** Whether a message names that user. */
export function isNamed(user, { mentions = [] }) {
    return mentions.some(({ id }) => id === user);
}

/** A text in parts, `{said, user}`: `user` is who is named there, or null. */
export function mentionParts(text, mentions) {
    if (mentions.length === 0) return [{ said: text, user: null }];
    const users = new Map(mentions.map((user) => [user.name.toLowerCase(), user]));
    // The longest first: one name may begin with another.
    const names = mentions.map(({ name }) => name).sort((one, other) => other.length - one.length);
    const pattern = new RegExp(
        `(?<![\\p{L}\\p{N}\\p{M}_.@/\\\\-])@(${names.map(escaped).join("|")})`
            + "(?![-_.]*[\\p{L}\\p{N}\\p{M}@])",
        "giu");
    const parts = [];
    let end = 0;
    for (const match of text.matchAll(pattern)) {
        if (match.index > end) parts.push({ said: text.slice(end, match.index), user: null });
        parts.push({ said: match[0], user: users.get(match[1].toLowerCase()) ?? null });
        end = match.index + match[0].length;
    }
    if (end < text.length) parts.push({ said: text.slice(end), user: null });
    return parts;
}

/** What stands for itself in a regular expression, whatever it means there. */
function escaped(name) {
    return name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
