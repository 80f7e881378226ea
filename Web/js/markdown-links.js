// Allowed link addresses, and the forms of links: `[label](address)`, `<address>`, or a bare
// address.

const schemes = ["http:", "https:", "mailto:"];
const labelLengthMax = 500;
const addressLengthMax = 2_000;

/** The address if it is allowed, or null: absolute http, https and mailto only. */
export function safeAddress(address) {
    let url;
    try {
        url = new URL(address);
    } catch {
        return null;
    }
    return schemes.includes(url.protocol) ? url.href : null;
}

/** Parses `[label](address "title")` at `index`: `{label, address, end}` or null. */
export function readDestination(text, index) {
    const labelEnd = closingBracket(text, index);
    if (labelEnd === null || text[labelEnd + 1] !== "(") return null;
    const rest = text.slice(labelEnd + 2, labelEnd + 2 + addressLengthMax);
    const target = /^\s*(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.|\([^\s()]*\))*))/.exec(rest);
    const after = /^(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/.exec(rest.slice(target[0].length));
    if (!after) return null;
    return {
        label: text.slice(index + 1, labelEnd),
        address: target[1] ?? target[2],
        end: labelEnd + 2 + target[0].length + after[0].length,
    };
}

/** Parses `<address>` or a bare address at `index`: a link node and its end, or null. */
export function readAutolink(text, index) {
    const rest = text.slice(index, index + addressLengthMax);
    const bracketed = /^<((?:https?:\/\/|mailto:)[^\s<>]*)>/i.exec(rest);
    if (bracketed) return link(bracketed[1], index + bracketed[0].length);
    if (/\w/.test(text[index - 1] ?? " ")) return null;
    const bare = /^(?:https?:\/\/[\w[]|mailto:\w)[^\s<>"`*]*/i.exec(rest);
    if (!bare) return null;
    const address = withoutTrailingPunctuation(bare[0]);
    return link(address, index + address.length);
}

function link(written, end) {
    const address = safeAddress(written);
    if (address === null) return null;
    return { part: { type: "link", address, nodes: [{ type: "text", text: written }] }, end };
}

/** Punctuation after an address is not part of it, nor is an unbalanced bracket. */
function withoutTrailingPunctuation(address) {
    let end = address.length;
    for (;;) {
        const last = address[end - 1];
        const isOutside = last === ")" && !isBalanced(address.slice(0, end));
        if (!isOutside && !/[.,:;!?'"_~\]}]/.test(last)) return address.slice(0, end);
        end -= 1;
    }
}

function isBalanced(text) {
    return text.split("(").length === text.split(")").length;
}

/** The index of the bracket that closes the one at `index`, or null. */
function closingBracket(text, index) {
    let depth = 0;
    const end = Math.min(text.length, index + labelLengthMax);
    for (let at = index; at < end; at += 1) {
        if (text[at] === "\\") at += 1;
        else if (text[at] === "[") depth += 1;
        else if (text[at] === "]") depth -= 1;
        if (depth === 0) return at;
    }
    return null;
}
