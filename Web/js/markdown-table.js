// Parses tables of GitHub's Markdown: a head, a line of dashes, rows.

const separator = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** Whether a table begins at `index`: a head with as many cells as the line of dashes below it. */
export function isTableStart(lines, index) {
    const below = lines[index + 1];
    if (!lines[index].includes("|") || below === undefined || !separator.test(below)) return false;
    return cells(lines[index]).length === cells(below).length;
}

/** The table that begins at `index`, and the index of the line after it. */
export function readTable(lines, index, startsBlock) {
    const head = cells(lines[index]);
    const rows = [];
    let next = index + 2;
    while (next < lines.length && lines[next].trim() !== "" && !startsBlock(lines[next])) {
        const row = cells(lines[next]);
        rows.push(head.map((_, column) => row[column] ?? ""));
        next += 1;
    }
    return [{ type: "table", head, rows }, next];
}

/** The cells of a line; a bar after a backslash is part of a cell. */
function cells(line) {
    const inner = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
    return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}
