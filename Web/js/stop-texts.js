// The texts that end an answer, as lines of a field: line breaks inside one are \n and \r, a
// backslash is \\.

const escapes = { "\n": "\\n", "\r": "\\r", "\\": "\\\\" };
const characters = Object.fromEntries(Object.entries(escapes).map(([key, mark]) => [mark, key]));

/** The lines for a list of texts. */
export function linesOf(texts) {
    return (texts ?? [])
        .map((text) => text.replace(/[\n\r\\]/g, (character) => escapes[character]))
        .join("\n");
}

/** The texts of the lines that are not empty; undefined where there are none. */
export function textsIn(lines) {
    const texts = lines.split(/\r?\n/).filter((line) => line !== "")
        .map((line) => line.replace(/\\[nr\\]/g, (mark) => characters[mark]));
    return texts.length > 0 ? texts : undefined;
}
