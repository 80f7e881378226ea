// The thinking part of a reasoning model's answer, as Sources/ThinkingText finds it. Pure functions.

const opening = "<think>";
const closing = "</think>";
const none = { thinking: null, isOpen: false };

/**
 * The parts of an answer's text: `{thinking, answer, isOpen}`; `thinking` is null without such a part,
 * `isOpen` tells whether it has no end yet. While the answer grows, the beginning of a tag at its end is
 * in neither part.
 */
export function partsOf(text, isGrowing = false) {
    if (!text.startsWith(opening)) {
        const isTag = isGrowing && opening.startsWith(text);
        return { ...none, answer: isTag ? "" : text };
    }
    const end = text.indexOf(closing, opening.length);
    if (end >= 0) {
        return {
            thinking: text.slice(opening.length, end),
            answer: text.slice(end + closing.length).replace(/^[ \n\r\t]+/u, ""),
            isOpen: false,
        };
    }
    const thinking = text.slice(opening.length);
    const held = isGrowing ? heldCount(thinking) : 0;
    return { thinking: thinking.slice(0, thinking.length - held), answer: "", isOpen: true };
}

/** An answer's text without its thinking part; another text as it is. */
export function answerOf({ role, text, isPending }) {
    return role === "assistant" ? partsOf(text, isPending).answer : text;
}

/** The length of the beginning of the closing tag with which a text ends. */
function heldCount(text) {
    for (let count = Math.min(closing.length - 1, text.length); count > 0; count -= 1) {
        if (closing.startsWith(text.slice(-count))) return count;
    }
    return 0;
}
