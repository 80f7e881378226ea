// Parses Markdown to markdown-it's tokens: CommonMark 0.31 with GitHub's extensions, footnotes and
// formulas; raw HTML is text.

import { MarkdownIt } from "../libraries/markdown-it.js";
import { bareLinks } from "./bare-links.js";
import { footnotes } from "./footnotes.js";
import { formulas } from "./formulas.js";
import { tables } from "./tables.js";
import { tasks } from "./tasks.js";

/** Deeper lists and quotes are text, which limits recursion. A list counts twice. */
const depthMax = 24;
/** Longer texts of one paragraph, heading or cell are not parsed. */
const inlineLengthMax = 20_000;

/** A definition of a link has at most this many lines. */
const referenceLinesMax = 20;

const parser = new MarkdownIt("default", { html: false, linkify: false, typographer: false });
const readAnyReference = ruleNamed(parser.block.ruler, "reference");
parser.disable(["html_block", "html_inline", "linkify", "replacements", "smartquotes"]);
// Links are checked where nodes are made; a forbidden one still shows its label.
parser.validateLink = () => true;
parser.block.ruler.before("table", "depth", readDeep);
parser.block.ruler.at("reference", readReference);
parser.inline.ruler.at("backticks", readCodeSpan);
parser.inline.State = class extends parser.inline.State {
    scanDelims(start, canSplitWord) {
        return scanDelimiters(this, start, canSplitWord);
    }
};
for (const extension of [tables, tasks, formulas, footnotes, bareLinks]) extension(parser);

const parseInline = parser.inline.parse;
parser.inline.parse = function parse(text, ...rest) {
    if (text.length <= inlineLengthMax) {
        parseInline.call(this, text, ...rest);
        return;
    }
    const token = new this.State("", ...rest).push("text", "", 0);
    token.content = text;
};

/** The tokens of a text; line ends are `\n`. */
export function parseMarkdown(text) {
    return parser.parse(text, {});
}

/** A text with backslashes and entities resolved, as after a fence. */
export function unescaped(text) {
    return parser.utils.unescapeAll(text);
}

/** What is nested too deeply is one block of plain text. markdown-it would leave it out. */
function readDeep(state, startLine, endLine, silent) {
    if (silent || state.level < depthMax) return false;
    let line = startLine + 1;
    while (line < endLine && (state.isEmpty(line) || state.sCount[line] >= state.blkIndent)) line += 1;
    state.push("deep_text", "p", 0).content
        = state.getLines(startLine, line, state.blkIndent, false).trim();
    state.line = line;
    return true;
}

/** A definition of a link. markdown-it's rule reads the whole paragraph for each. */
function readReference(state, startLine, endLine, silent) {
    const { lineMax } = state;
    state.lineMax = Math.min(lineMax, startLine + referenceLinesMax);
    const isFound = readAnyReference(state, startLine, Math.min(endLine, state.lineMax), silent);
    state.lineMax = lineMax;
    return isFound;
}

function ruleNamed(ruler, name) {
    return ruler.__rules__.find((rule) => rule.name === name).fn;
}

/** A code span. markdown-it's rule looks for the end of each again and again. */
function readCodeSpan(state, silent) {
    if (state.src[state.pos] !== "`") return false;
    const marks = /`+/y;
    marks.lastIndex = state.pos;
    const [opening] = marks.exec(state.src);
    const start = state.pos + opening.length;
    const closing = closingRun(state, start, opening.length);
    if (closing === undefined) {
        if (!silent) state.pending += opening;
        state.pos = start;
        return true;
    }
    if (!silent) {
        const text = state.src.slice(start, closing).replaceAll("\n", " ");
        const isPadded = text.startsWith(" ") && text.endsWith(" ") && text.trim() !== "";
        state.push("code_inline", "code", 0).content = isPadded ? text.slice(1, -1) : text;
    }
    state.pos = closing + opening.length;
    return true;
}

/** The index of the first run of `count` backticks from `start` on. */
function closingRun(state, start, count) {
    state.backtickRuns ??= backtickRuns(state.src);
    const runs = state.backtickRuns.get(count) ?? [];
    let low = 0;
    let high = runs.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (runs[middle] < start) low = middle + 1;
        else high = middle;
    }
    return runs[low] + count <= state.posMax ? runs[low] : undefined;
}

/** The positions of a text's runs of backticks, by length. */
function backtickRuns(text) {
    const runs = new Map();
    for (const { 0: { length }, index } of text.matchAll(/`+/g)) {
        if (!runs.has(length)) runs.set(length, []);
        runs.get(length).push(index);
    }
    return runs;
}

const punctuation = /[\p{P}\p{S}]/u;
const whitespace = /[\t\n\f\r\p{Zs}]/u;

/**
 * Whether a run of `*`, `_` or `~` can open and close emphasis: CommonMark 0.31, section 6.2.
 * markdown-it follows 0.29, in which symbols were no punctuation.
 */
function scanDelimiters(state, start, canSplitWord) {
    let end = start;
    while (end < state.posMax && state.src[end] === state.src[start]) end += 1;
    const before = start === 0 ? " " : lastCharacter(state.src, start);
    const after = end < state.posMax ? String.fromCodePoint(state.src.codePointAt(end)) : " ";
    const opens = flanks(after, before);
    const closes = flanks(before, after);
    return {
        can_open: opens && (canSplitWord || !closes || punctuation.test(before)),
        can_close: closes && (canSplitWord || !opens || punctuation.test(after)),
        length: end - start,
    };
}

/** Whether a run is directly next to `inner`, seen from `outer`. */
function flanks(inner, outer) {
    if (whitespace.test(inner)) return false;
    return !punctuation.test(inner) || whitespace.test(outer) || punctuation.test(outer);
}

function lastCharacter(text, end) {
    const isPair = end > 1 && /[\uDC00-\uDFFF]/.test(text[end - 1]);
    return text.slice(isPair ? end - 2 : end - 1, end);
}
