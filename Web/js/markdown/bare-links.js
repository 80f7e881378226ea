// Addresses without brackets become links, as on GitHub (GFM 0.29, section 6.9): `https://…`, `www.…`,
// `mailto:…` and `name@host`.

const candidates = new RegExp(
    "(?<![\\p{L}\\p{N}])(?:https?://|www\\.|mailto:)[^\\s<>\\[\\]\"`*|]+"
        + "|(?<![\\w.+-])[\\w.+-]{1,64}@[\\w-]{1,63}(?:\\.[\\w-]{1,63}){1,8}",
    "giu");
const lengthMax = 2_000;
/** Characters with a meaning for a rule of markdown-it: plain text ends before them. */
const plainStretch = /[^\n!#$%&*+\-:<=>@[\\\]^_`{}~]+/y;

/** Adds the rules to a parser. */
export function bareLinks(parser) {
    parser.inline.ruler.at("text", readText);
    parser.inline.ruler.before("text", "bare_link", readBareLink);
}

/** Plain text up to the next special character or bare link. */
function readText(state, silent) {
    plainStretch.lastIndex = state.pos;
    let end = state.pos + (plainStretch.exec(state.src)?.[0].length ?? 0);
    const next = nextLink(state);
    if (next && next.start > state.pos && next.start < end) end = next.start;
    if (end === state.pos) return false;
    if (!silent) state.pending += state.src.slice(state.pos, end);
    state.pos = end;
    return true;
}

function readBareLink(state, silent) {
    const link = nextLink(state);
    if (!link || link.start !== state.pos || link.end > state.posMax) return false;
    if (!silent) {
        state.push("link_open", "a", 1).attrs = [["href", link.address]];
        state.push("text", "", 0).content = state.src.slice(link.start, link.end);
        state.push("link_close", "a", -1);
    }
    state.pos = link.end;
    return true;
}

/** The first bare link at or after the position. All are found at once, in linear time. */
function nextLink(state) {
    state.bareLinks ??= findLinks(state.src);
    const { found } = state.bareLinks;
    let { index } = state.bareLinks;
    // The parser looks ahead and returns, so the index moves both ways.
    while (index > 0 && found[index - 1].start >= state.pos) index -= 1;
    while (index < found.length && found[index].start < state.pos) index += 1;
    state.bareLinks.index = index;
    return found[index];
}

function findLinks(source) {
    const found = [];
    for (const { 0: written, index } of source.matchAll(candidates)) {
        // An address of mail that ends in one of these is none, also not without them.
        const text = /@[^/]*[-_]$/.test(written) ? "" : withoutTrailingPunctuation(written);
        const address = addressOf(text);
        if (address && text.length <= lengthMax) {
            found.push({ start: index, end: index + text.length, address });
        }
    }
    return { found, index: 0 };
}

function addressOf(text) {
    if (/^mailto:/i.test(text)) return /^mailto:[^\s@]+@[^\s@]+$/i.test(text) ? text : null;
    const web = /^(https?:\/\/|www\.)([^/?#:]*)/i.exec(text);
    if (!web) return text.includes("@") ? `mailto:${text}` : null;
    const [, scheme, host] = web;
    // Neither of the last two parts of a host contains an underscore.
    if (host === "" || host.split(".").slice(-2).some((part) => part.includes("_"))) return null;
    return /^www/i.test(scheme) ? `http://${text}` : text;
}

/** Punctuation after an address is not part of it, nor is an unbalanced bracket or an entity. */
function withoutTrailingPunctuation(text) {
    let end = text.length;
    let surplus = text.split(")").length - text.split("(").length;
    for (;;) {
        const last = text[end - 1];
        const entity = last === ";" && /&[a-z0-9]{1,32};$/i.exec(text.slice(Math.max(0, end - 34), end));
        if (entity) {
            end -= entity[0].length;
        } else if (last === ")" && surplus > 0) {
            surplus -= 1;
            end -= 1;
        } else if (/[.,:;!?'_~}]/.test(last ?? "")) {
            end -= 1;
        } else {
            return text.slice(0, end);
        }
    }
}
