// Parses inline Markdown to a tree. Emphasis follows CommonMark's delimiter runs.
//
// A node is one of {type: "text", text} {type: "code", text} {type: "break"}
// {type: "strong" | "emphasis" | "deleted" | "group", nodes} {type: "link", address, nodes}.
// Images become links: loading a picture would tell its server who reads it.

import { readAutolink, readDestination, safeAddress } from "./markdown-links.js";

const punctuation = /[!-/:-@[-`{-~\p{P}\p{S}]/u;
const whitespace = /\s/;
const escapable = /[!-/:-@[-`{-~]/;
/** Longer texts are not parsed. */
const textLengthMax = 20_000;
/** Maximum number of unpaired delimiter runs. */
const openersMax = 100;
/** Characters without a special meaning. */
const plainStretch = /[^\\`*_~[\]!<\nhm]+/y;

/** The nodes of a block's text. `inLink`: links don't contain links. */
export function parseInline(text, inLink = false) {
    if (text.length > textLengthMax) return [{ type: "text", text }];
    return joinEmphasis(scan(text, inLink));
}

/** Splits a text into nodes and delimiter runs: `{mark, count, canOpen, canClose}`. */
function scan(text, inLink) {
    const parts = [];
    let plain = "";
    let index = 0;
    const push = (part, end) => {
        if (plain !== "") parts.push({ type: "text", text: plain });
        plain = "";
        if (part) parts.push(part);
        index = end;
    };
    while (index < text.length) {
        const found = readSpecial(text, index, inLink);
        if (found) {
            push(found.part, found.end);
        } else if (text[index] === "\\" && text[index + 1] === "\n") {
            index += 1;
        } else if (text[index] === "\\" && escapable.test(text[index + 1] ?? "")) {
            plain += text[index + 1];
            index += 2;
        } else {
            plainStretch.lastIndex = index;
            const taken = plainStretch.exec(text)?.[0] ?? text[index];
            plain += taken;
            index += taken.length;
        }
    }
    push(null, index);
    return parts;
}

/** The node or delimiter run that begins at `index`, and its end; null for plain text. */
function readSpecial(text, index, inLink) {
    switch (text[index]) {
    case "`": return readCodeSpan(text, index);
    case "*": case "_": case "~": return readDelimiters(text, index);
    case "\n": return { part: { type: "break" }, end: index + 1 };
    case "!": return text[index + 1] === "[" ? readLink(text, index + 1, inLink) : null;
    case "[": return readLink(text, index, inLink);
    case "<": case "h": case "m": return inLink ? null : readAutolink(text, index);
    default: return null;
    }
}

function readCodeSpan(text, index) {
    const marks = /^`+/.exec(text.slice(index))[0];
    for (let end = index + marks.length; ; ) {
        end = text.indexOf(marks, end);
        // Unpaired marks are plain text, all of them at once.
        if (end < 0) return { part: { type: "text", text: marks }, end: index + marks.length };
        let after = end + marks.length;
        while (text[after] === "`") after += 1;
        if (after === end + marks.length) {
            const inner = text.slice(index + marks.length, end).replaceAll("\n", " ");
            const isPadded = inner.startsWith(" ") && inner.endsWith(" ") && inner.trim() !== "";
            const code = isPadded ? inner.slice(1, -1) : inner;
            return { part: { type: "code", text: code }, end: after };
        }
        end = after;
    }
}

function readLink(text, index, inLink) {
    const destination = readDestination(text, index);
    if (!destination) return null;
    const nodes = parseInline(destination.label, true);
    const address = inLink ? null : safeAddress(destination.address);
    // A link with a forbidden address still shows its label.
    const part = address === null ? { type: "group", nodes } : { type: "link", address, nodes };
    return { part, end: destination.end };
}

/** A run of `*`, `_` or `~~`, and whether it can open and close (CommonMark 0.31, section 6.2). */
function readDelimiters(text, index) {
    const mark = text[index];
    let end = index;
    while (text[end] === mark) end += 1;
    const count = end - index;
    if (mark === "~" && count !== 2) {
        return { part: { type: "text", text: mark.repeat(count) }, end };
    }
    const before = index === 0 ? " " : text[index - 1];
    const after = text[end] ?? " ";
    const opens = flanks(after, before);
    const closes = flanks(before, after);
    const part = mark === "_"
        ? {
            canOpen: opens && (!closes || punctuation.test(before)),
            canClose: closes && (!opens || punctuation.test(after)),
        }
        : { canOpen: opens, canClose: closes };
    return { part: { type: "delimiters", mark, count, ...part }, end };
}

/** Whether a run is directly next to `inner`, seen from `outer`. */
function flanks(inner, outer) {
    if (whitespace.test(inner)) return false;
    return !punctuation.test(inner) || whitespace.test(outer) || punctuation.test(outer);
}

/** Pairs the delimiter runs; unpaired ones are text. */
function joinEmphasis(parts) {
    const nodes = [];
    /** Indices in `nodes` of runs that can still open. */
    let openers = [];
    for (const part of parts) {
        if (part.type !== "delimiters") {
            nodes.push(part);
            continue;
        }
        if (part.canClose) openers = close(nodes, openers, part);
        if (part.count > 0) {
            if (part.canOpen) openers = [...openers.slice(1 - openersMax), nodes.length];
            nodes.push(part);
        }
    }
    return settled(nodes);
}

/** Closes what `closer` can close; returns the remaining openers. */
function close(nodes, openers, closer) {
    const left = [...openers];
    while (closer.count > 0) {
        const position = left.findLastIndex((index) => matches(nodes[index], closer));
        if (position < 0) break;
        const opener = nodes[left[position]];
        const count = Math.min(opener.count, closer.count, 2);
        const inner = settled(nodes.splice(left[position] + 1));
        nodes.push({ type: emphasisType(closer.mark, count), nodes: inner });
        opener.count -= count;
        closer.count -= count;
        left.length = opener.count > 0 ? position + 1 : position;
    }
    return left;
}

function matches(opener, closer) {
    if (opener.mark !== closer.mark) return false;
    // `**a*b**` is one strong text: CommonMark's rule of three.
    const isBothWays = opener.canClose || closer.canOpen;
    const isThreefold = (opener.count + closer.count) % 3 === 0;
    return !isBothWays || !isThreefold || opener.count % 3 === 0;
}

function emphasisType(mark, count) {
    if (mark === "~") return "deleted";
    return count === 2 ? "strong" : "emphasis";
}

/** Converts unpaired delimiters to text, and removes paired ones. */
function settled(nodes) {
    const left = nodes.filter((node) => node.type !== "delimiters" || node.count > 0);
    return left.map((node) => node.type === "delimiters"
        ? { type: "text", text: node.mark.repeat(node.count) }
        : node);
}
