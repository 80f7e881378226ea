// The blocks of a text that grows: only its last block is parsed again, since text that is appended
// changes no other one.

import { parseMarkdown } from "./parser.js";
import { treeOf } from "./tree.js";

/** Lines that may define a link or a note, which can change blocks above them. */
const definition = /^[ \t>*+\-\d.)]*\[[^\n]*\]:/m;

/** The blocks of one text. */
export class MarkdownDocument {
    #text = "";
    /** Where the last block begins, and the blocks above it. */
    #boundary = 0;
    #settled = [];

    /** The nodes of `text`. Blocks that did not change are the same objects as before. */
    nodes(text) {
        const source = text.replaceAll(/\r\n?/g, "\n");
        if (!source.startsWith(this.#text) || definition.test(source.slice(this.#boundary))) {
            this.#boundary = 0;
            this.#settled = [];
        }
        this.#text = source;
        const rest = source.slice(this.#boundary);
        const tokens = parseMarkdown(rest);
        const tail = treeOf(tokens);
        if (definition.test(rest)) return tail;
        const nodes = [...this.#settled, ...tail];
        const last = tokens.findLast(({ level, map, nesting }) => level === 0 && map && nesting >= 0);
        const start = last ? offsetOfLine(rest, last.map[0]) : 0;
        // A first line that may grow, or a line right above, can still join the block before.
        if (/\n[ \t]*\n$/.test(rest.slice(0, start)) && rest.includes("\n", start)) {
            this.#boundary += start;
            this.#settled = nodes.slice(0, -1);
        }
        return nodes;
    }
}

function offsetOfLine(text, line) {
    let offset = 0;
    for (let index = 0; index < line; index += 1) offset = text.indexOf("\n", offset) + 1;
    return offset;
}
