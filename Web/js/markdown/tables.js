// Tables as on GitHub (GFM 0.29, section 4.10). They replace those of markdown-it, which differ where
// bars stand in code, and in where a table ends.

const separator = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const columnsMax = 200;

/** Replaces the rule of a parser. */
export function tables(parser) {
    parser.block.ruler.at("table", readTable, { alt: ["paragraph", "reference"] });
}

function readTable(state, startLine, endLine, silent) {
    const aligns = readHead(state, startLine, endLine);
    if (!aligns) return false;
    if (silent) return true;
    const table = state.push("table_open", "table", 1);
    state.push("thead_open", "thead", 1);
    pushRow(state, startLine, "th", aligns);
    state.push("thead_close", "thead", -1);
    let line = startLine + 2;
    const hasRows = isRow(state, line, endLine);
    if (hasRows) state.push("tbody_open", "tbody", 1);
    for (; isRow(state, line, endLine); line += 1) pushRow(state, line, "td", aligns);
    if (hasRows) state.push("tbody_close", "tbody", -1);
    state.push("table_close", "table", -1);
    table.map = [startLine, line];
    state.line = line;
    return true;
}

/** The alignments of the columns, if a head and a line of dashes with as many cells begin here. */
function readHead(state, line, endLine) {
    if (line + 1 >= endLine || isIndented(state, line) || isIndented(state, line + 1)) return null;
    if (state.sCount[line + 1] < state.blkIndent) return null;
    const below = lineText(state, line + 1);
    if (!separator.test(below) || !below.includes("-")) return null;
    const head = lineText(state, line);
    if (!head.includes("|") && !below.includes("|")) return null;
    const aligns = cells(below).map((cell) => {
        const isRight = cell.endsWith(":");
        if (cell.startsWith(":")) return isRight ? "center" : "left";
        return isRight ? "right" : null;
    });
    return aligns.length <= columnsMax && cells(head).length === aligns.length ? aligns : null;
}

function isRow(state, line, endLine) {
    if (line >= endLine || state.isEmpty(line) || state.sCount[line] < state.blkIndent) return false;
    if (isIndented(state, line)) return false;
    // The start of another block ends a table: that of a quote, a list, or code.
    const starts = state.md.block.ruler.getRules("blockquote");
    return !starts.some((rule) => rule(state, line, endLine, true));
}

function pushRow(state, line, name, aligns) {
    state.push("tr_open", "tr", 1);
    const row = cells(lineText(state, line));
    aligns.forEach((align, column) => {
        const open = state.push(`${name}_open`, name, 1);
        if (align) open.meta = { align };
        const inline = state.push("inline", "", 0);
        inline.content = row[column] ?? "";
        inline.map = [line, line + 1];
        inline.children = [];
        state.push(`${name}_close`, name, -1);
    });
    state.push("tr_close", "tr", -1);
}

function isIndented(state, line) {
    return state.sCount[line] - state.blkIndent >= 4;
}

function lineText(state, line) {
    return state.src.slice(state.bMarks[line] + state.tShift[line], state.eMarks[line]).trim();
}

/** The cells of a line; a bar after a backslash is part of a cell, in code as well. */
function cells(line) {
    const inner = line.replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
    return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}
