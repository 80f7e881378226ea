// Parses Markdown blocks to a tree: the part of CommonMark that models write, line by line in
// linear time; raw HTML is text. markdown-view.js creates DOM nodes from the tree.
//
// A block is one of
//   {type: "paragraph", text} {type: "heading", level, text} {type: "code", language, text}
//   {type: "list", start, items: [[block]]} (start is null if it isn't numbered)
//   {type: "quote", blocks} {type: "table", head: [text], rows: [[text]]} {type: "rule"}
// where `text` is inline Markdown, except in code. Top-level blocks have `source`, their lines, so
// that a view can keep unchanged blocks.

import { isTableStart, readTable } from "./markdown-table.js";

const fenceMarks = /^( {0,3})(`{3,}|~{3,})/;
const headingMarks = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const rule = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const quote = /^ {0,3}> ?/;
const listItem = /^( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]+)(.*))?$/;
/** Deeper lists and quotes are text, which limits recursion. */
const depthMax = 12;

/** The blocks of `text`. */
export function parseBlocks(text) {
    return parseLines(text.split(/\r\n|\n|\r/), 0);
}

function parseLines(lines, depth) {
    const blocks = [];
    let index = 0;
    while (index < lines.length) {
        if (isBlank(lines[index])) {
            index += 1;
            continue;
        }
        const [block, next] = readBlock(lines, index, depth);
        if (depth === 0) block.source = lines.slice(index, next).join("\n");
        blocks.push(block);
        index = next;
    }
    return blocks;
}

/** The block that begins at `index`, and the index of the line after it. */
function readBlock(lines, index, depth) {
    const line = lines[index];
    if (isFence(line)) return readCode(lines, index);
    if (headingMarks.test(line)) return [readHeading(line), index + 1];
    if (rule.test(line)) return [{ type: "rule" }, index + 1];
    if (depth < depthMax && quote.test(line)) return readQuote(lines, index, depth);
    if (depth < depthMax && listItem.test(line)) return readList(lines, index, depth);
    if (isTableStart(lines, index)) return readTable(lines, index, startsBlock);
    return readParagraph(lines, index);
}

function readHeading(line) {
    const [opening, marks] = headingMarks.exec(line);
    const title = line.slice(opening.length).trim();
    return { type: "heading", level: marks.length, text: title.replace(/(?:^|[ \t])#+$/, "") };
}

function readParagraph(lines, index) {
    let end = index + 1;
    while (end < lines.length && !isBlank(lines[end]) && !interruptsParagraph(lines[end])) {
        end += 1;
    }
    const text = lines.slice(index, end).map((line) => line.trimStart()).join("\n").trimEnd();
    return [{ type: "paragraph", text }, end];
}

function readCode(lines, index) {
    const [opening, margin, marks] = fenceMarks.exec(lines[index]);
    const [language] = lines[index].slice(opening.length).trim().split(/\s/, 1);
    const closing = new RegExp(`^ {0,3}\\${marks[0]}{${marks.length},}[ \\t]*$`);
    let end = index + 1;
    while (end < lines.length && !closing.test(lines[end])) end += 1;
    const body = lines.slice(index + 1, end).map((line) => withoutIndent(line, margin.length));
    // A partial answer has no closing fence yet; its code is shown as code already.
    const next = Math.min(end + 1, lines.length);
    return [{ type: "code", language, text: body.join("\n") }, next];
}

function readQuote(lines, index, depth) {
    let end = index;
    while (end < lines.length && quote.test(lines[end])) end += 1;
    const inner = lines.slice(index, end).map((line) => line.replace(quote, ""));
    return [{ type: "quote", blocks: parseLines(inner, depth + 1) }, end];
}

function readList(lines, index, depth) {
    const kind = listKind(listItem.exec(lines[index])[2]);
    const number = Number.parseInt(listItem.exec(lines[index])[2], 10);
    const items = [];
    let next = index;
    while (next < lines.length) {
        const mark = rule.test(lines[next]) ? null : listItem.exec(lines[next]);
        if (!mark || listKind(mark[2]) !== kind) break;
        const end = endOfItem(lines, next, contentIndent(mark));
        items.push(parseLines(itemLines(lines, next, end, mark), depth + 1));
        next = end;
        while (next < lines.length && isBlank(lines[next])) next += 1;
    }
    return [{ type: "list", start: Number.isNaN(number) ? null : number, items }, next];
}

/** The end of the item that begins at `index`: the first line that isn't indented under it. */
function endOfItem(lines, index, indent) {
    let end = index + 1;
    while (end < lines.length) {
        const line = lines[end];
        if (isBlank(line)) {
            let following = end;
            while (following < lines.length && isBlank(lines[following])) following += 1;
            if (following === lines.length || indentOf(lines[following]) < indent) return end;
            end = following;
        } else if (indentOf(line) >= indent) {
            end += 1;
        } else if (startsBlock(line)) {
            return end;
        } else {
            // A paragraph's next line may be unindented.
            end += 1;
        }
    }
    return end;
}

function itemLines(lines, index, end, mark) {
    const indent = contentIndent(mark);
    const rest = lines.slice(index + 1, end).map((line) => withoutIndent(line, indent));
    return [mark[4] ?? "", ...rest];
}

/** The indentation of an item's content. Content that starts with code is not indented further. */
function contentIndent([, margin, bullet, space = " "]) {
    return margin.length + bullet.length + (space.length > 4 ? 1 : space.length);
}

function listKind(bullet) {
    return bullet.at(-1);
}

function startsBlock(line) {
    return isFence(line) || headingMarks.test(line) || rule.test(line) || quote.test(line)
        || listItem.test(line);
}

/** Code between backticks on one line, `` ```like this``` ``, is not a fence. */
function isFence(line) {
    const [opening, , marks] = fenceMarks.exec(line) ?? [];
    return opening !== undefined && !(marks[0] === "`" && line.includes("`", opening.length));
}

/**
 * Whether a line ends a paragraph without a blank line. A numbered list does so only if it starts
 * with 1.
 */
function interruptsParagraph(line) {
    const item = listItem.exec(line);
    if (!item || rule.test(line)) return startsBlock(line);
    return Boolean(item[4]) && (/^[-*+]$/.test(item[2]) || Number.parseInt(item[2], 10) === 1);
}

function isBlank(line) {
    return line.trim() === "";
}

function indentOf(line) {
    let columns = 0;
    for (const character of line) {
        if (character === " ") columns += 1;
        else if (character === "\t") columns += 4;
        else break;
    }
    return columns;
}

function withoutIndent(line, columns) {
    let index = 0;
    let taken = 0;
    while (taken < columns && (line[index] === " " || line[index] === "\t")) {
        taken += line[index] === "\t" ? 4 : 1;
        index += 1;
    }
    return line.slice(index);
}
