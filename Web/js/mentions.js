// The members mentioned in a question, and the positions of their names.

/**
 * A tree of Markdown (markdown/tree.js) with the names of `mentions` marked, but for those in code and
 * links; the user's own more prominently.
 */
export function withMentions(nodes, mentions, ownID) {
    if (mentions.length === 0) return nodes;
    return nodes.flatMap((node) => {
        if (typeof node !== "string") {
            const isPlain = node.part !== undefined || node.name === "code" || node.name === "a";
            return isPlain ? [node] : [{ ...node, children: withMentions(node.children, mentions, ownID) }];
        }
        return mentionParts(node, mentions).map(({ text, user }) => user
            ? mentionNode(text, user.id === ownID) : text);
    });
}

function mentionNode(text, isOwn) {
    const attributes = { class: isOwn ? "mention of-me" : "mention" };
    return { name: "span", attributes, children: [text] };
}

/** Whether a message mentions that user. */
export function isNamed(user, { mentions = [] }) {
    return mentions.some(({ id }) => id === user);
}

/** Splits a text into parts, `{text, user}`: `user` is the mentioned user, or null. */
export function mentionParts(text, mentions) {
    if (mentions.length === 0) return [{ text, user: null }];
    const users = new Map(mentions.map((user) => [user.name.toLowerCase(), user]));
    // The longest first: one name may be a prefix of another.
    const names = mentions.map(({ name }) => name).sort((one, other) => other.length - one.length);
    const pattern = new RegExp(
        `(?<![\\p{L}\\p{N}\\p{M}_.@/\\\\-])@(${names.map(escaped).join("|")})`
            + "(?![-_.]*[\\p{L}\\p{N}\\p{M}@])",
        "giu");
    const parts = [];
    let end = 0;
    for (const match of text.matchAll(pattern)) {
        if (match.index > end) parts.push({ text: text.slice(end, match.index), user: null });
        parts.push({ text: match[0], user: users.get(match[1].toLowerCase()) ?? null });
        end = match.index + match[0].length;
    }
    if (end < text.length) parts.push({ text: text.slice(end), user: null });
    return parts;
}

/** Escapes a name for a regular expression. */
function escaped(name) {
    return name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
