// Formulas in Markdown: `$…$` and `\(…\)` in a line; `$$…$$` and `\[…\]` on their own. What is between
// the marks stays as it is, so that `\\`, `_` and `*` mean what they mean in TeX.

const lengthMax = 4_000;
const linesMax = 100;
const closings = { "$$": "$$", "\\[": "\\]", "\\(": "\\)" };

/** Adds the rules to a parser. */
export function formulas(parser) {
    parser.inline.ruler.before("escape", "formula", readInline);
    const alt = ["paragraph", "reference", "blockquote", "list"];
    parser.block.ruler.before("fence", "formula", readBlock, { alt });
}

function readInline(state, silent) {
    const { src, pos } = state;
    if (src[pos] !== "$" && src[pos] !== "\\") return false;
    const opening = src.slice(pos, pos + 2);
    const found = closings[opening] !== undefined
        ? readBetween(state, closings[opening]) : readDollars(state);
    if (!found) return false;
    if (!silent) {
        const token = state.push("formula", "math", 0);
        token.content = found.content;
        token.meta = { isDisplayed: opening === "$$" || opening === "\\[" };
    }
    state.pos = found.end;
    return true;
}

function readBetween({ src, pos, posMax }, closing) {
    const end = src.slice(0, Math.min(posMax, pos + lengthMax)).indexOf(closing, pos + 2);
    const content = src.slice(pos + 2, end);
    // Brackets after backslashes are escaped, too: `\\[` around signs is no formula.
    if (end < 0 || !/[\p{L}\p{N}]/u.test(content)) return null;
    return { content, end: end + closing.length };
}

/**
 * `$x$`, as in pandoc: no space inside next to the marks, and no digit after them, so that "from $5 to
 * $10" is money.
 */
function readDollars({ src, pos, posMax }) {
    if (src[pos] !== "$" || /[\p{L}\p{N}]/u.test(src[pos - 1] ?? " ")) return null;
    if (/[\s$]/.test(src[pos + 1] ?? " ")) return null;
    const limit = Math.min(posMax, pos + lengthMax);
    for (let end = pos + 1; end < limit; end += 1) {
        if (src[end] === "\\") {
            end += 1;
        } else if (src[end] === "$" && !/\s/.test(src[end - 1])) {
            if (/\d/.test(src[end + 1] ?? " ")) return null;
            return { content: src.slice(pos + 1, end), end: end + 1 };
        }
    }
    return null;
}

/**
 * A formula that begins a line, over several lines. At the end of the text its closing mark may be
 * missing: an answer that grows is not there yet.
 */
function readBlock(state, startLine, endLine, silent) {
    const start = state.bMarks[startLine] + state.tShift[startLine];
    const closing = closings[state.src.slice(start, start + 2)];
    if (!closing || closing === "\\)") return false;
    if (state.sCount[startLine] - state.blkIndent >= 4) return false;
    const found = endOfBlock(state, startLine, endLine, start + 2, closing);
    if (!found) return false;
    if (silent) return true;
    const token = state.push("formula", "math", 0);
    const lines = state.getLines(startLine, found.line + 1, state.blkIndent, false).trim();
    token.content = lines.slice(2, found.isClosed ? -2 : undefined);
    token.meta = { isDisplayed: true, isOpen: !found.isClosed };
    token.map = [startLine, found.line + 1];
    state.line = found.line + 1;
    return true;
}

function endOfBlock(state, startLine, endLine, from, closing) {
    const last = Math.min(endLine, startLine + linesMax);
    for (let line = startLine; line < last; line += 1) {
        const isOutside = state.isEmpty(line) || state.sCount[line] < state.blkIndent;
        if (line > startLine && isOutside) return null;
        const first = line === startLine ? from : state.bMarks[line];
        const text = state.src.slice(first, state.eMarks[line]);
        const end = text.indexOf(closing);
        // Text after the closing mark makes it part of a paragraph.
        if (end >= 0) return text.slice(end + 2).trim() === "" ? { line, isClosed: true } : null;
    }
    const isLast = last === endLine && state.eMarks[endLine - 1] >= state.src.trimEnd().length;
    const isAlone = /^\s/.test(state.src.slice(from, from + 1));
    return isLast && isAlone && endLine - 1 > startLine ? { line: endLine - 1, isClosed: false } : null;
}
