// Footnotes as on GitHub: `[^name]` in the text, and a line `[^name]: …` with the note.

const definition = /^\[\^([^\s[\]^]{1,100})\]:[ \t]*/;
const reference = /\[\^([^\s[\]^]{1,100})\]/y;

/** Adds the rules to a parser. Notes are collected in `env.notes`: a set of their names. */
export function footnotes(parser) {
    parser.block.ruler.before("reference", "note", readNote, { alt: ["paragraph", "reference"] });
    parser.inline.ruler.before("link", "note", readReference);
}

/** A note is in no other block. Its next lines belong to it until a blank one, then if indented. */
function readNote(state, startLine, endLine, silent) {
    if (state.level > 0 || state.env.isInNote || state.sCount[startLine] >= 4) return false;
    const first = state.src.slice(
        state.bMarks[startLine] + state.tShift[startLine], state.eMarks[startLine]);
    const opening = definition.exec(first);
    if (!opening) return false;
    if (silent) return true;
    let line = startLine + 1;
    while (line < endLine && belongs(state, line)) line += 1;
    while (state.isEmpty(line - 1) && line - 1 > startLine) line -= 1;
    const rest = line > startLine + 1 ? `\n${state.getLines(startLine + 1, line, 4, false)}` : "";
    const name = nameOf(opening[1]);
    const open = state.push("note_open", "li", 1);
    open.meta = { name };
    open.map = [startLine, line];
    state.env.isInNote = true;
    state.md.block.parse(first.slice(opening[0].length) + rest, state.md, state.env, state.tokens);
    state.env.isInNote = false;
    state.push("note_close", "li", -1);
    (state.env.notes ??= new Set()).add(name);
    state.line = line;
    return true;
}

function belongs(state, line) {
    if (state.isEmpty(line) || state.sCount[line] >= 4) return true;
    return !state.isEmpty(line - 1) && !definition.test(
        state.src.slice(state.bMarks[line] + state.tShift[line], state.eMarks[line]));
}

function readReference(state, silent) {
    if (state.src[state.pos] !== "[") return false;
    reference.lastIndex = state.pos;
    const found = reference.exec(state.src);
    const name = found && nameOf(found[1]);
    if (!found || !state.env.notes?.has(name)) return false;
    if (!silent) state.push("note_reference", "", 0).meta = { name };
    state.pos += found[0].length;
    return true;
}

function nameOf(written) {
    return written.toLowerCase();
}
