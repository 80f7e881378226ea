// What differs between two texts, word by word. Pure functions.

/** A table of more cells is not computed: then longer pieces are compared. */
const cellsMax = 4_000_000;

/**
 * The two texts in parts, `{text, differs}`: `differs` marks what the other text does not have.
 * Together the parts are the text.
 */
export function differenceOf(left, right) {
    for (const pieces of [wordsOf, linesOf]) {
        const [one, other] = [pieces(left), pieces(right)];
        const { start, end } = commonEnds(one, other);
        const middle = [one, other].map((list) => list.slice(start, list.length - end));
        if (middle[0].length * middle[1].length > cellsMax) continue;
        const kept = commonPieces(...middle);
        return [one, other].map((list, side) => partsOf(list, (at) =>
            at < start || at >= list.length - end || kept[side].has(at - start)));
    }
    return [left, right].map((text) => [{ text, differs: true }]);
}

function wordsOf(text) {
    return text.match(/[\p{L}\p{N}\p{M}_'’]+|\s+|[^\s\p{L}\p{N}\p{M}_'’]/gu) ?? [];
}

function linesOf(text) {
    return text.split(/(?<=\n)/u);
}

/** How many pieces are equal at the beginning and at the end. */
function commonEnds(one, other) {
    const most = Math.min(one.length, other.length);
    let start = 0;
    while (start < most && one[start] === other[start]) start += 1;
    let end = 0;
    while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
    return { start, end };
}

/** The positions in each list of a longest common subsequence. */
function commonPieces(one, other) {
    const width = other.length + 1;
    const lengths = new Uint32Array((one.length + 1) * width);
    for (let i = one.length - 1; i >= 0; i -= 1) {
        for (let j = other.length - 1; j >= 0; j -= 1) {
            lengths[i * width + j] = one[i] === other[j]
                ? lengths[(i + 1) * width + j + 1] + 1
                : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
        }
    }
    const kept = [new Set(), new Set()];
    for (let [i, j] = [0, 0]; i < one.length && j < other.length;) {
        if (one[i] === other[j]) {
            kept[0].add(i);
            kept[1].add(j);
            i += 1;
            j += 1;
        } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) {
            i += 1;
        } else {
            j += 1;
        }
    }
    return kept;
}

/** Joins neighbours; a space between two words that differ differs, too. */
function partsOf(pieces, isKept) {
    const differs = pieces.map((_, at) => !isKept(at));
    pieces.forEach((piece, at) => {
        const isBetween = differs[at - 1] === true && differs[at + 1] === true;
        if (isBetween && piece.trim() === "" && !piece.includes("\n")) differs[at] = true;
    });
    const parts = [];
    pieces.forEach((piece, at) => {
        const last = parts.at(-1);
        if (last?.differs === differs[at]) last.text += piece;
        else parts.push({ text: piece, differs: differs[at] });
    });
    return parts;
}
