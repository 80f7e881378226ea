// Matching of a few typed letters with names, for the palette.

/**
 * How well `query` matches `name`: null if not all of its letters occur in this order, else higher is
 * better. Letters at the beginnings of words and in a row count more; long names a little less.
 */
export function matchOf(query, name) {
    const wanted = [...folded(query).replaceAll(/\s+/gu, "")];
    const letters = [...folded(name)];
    if (wanted.length === 0) return 0;
    let best = null;
    // The first letter decides: each of its places is tried.
    for (let start = 0; start < letters.length; start += 1) {
        if (letters[start] !== wanted[0]) continue;
        const score = scoreFrom(start, wanted, letters);
        if (score !== null && (best === null || score > best)) best = score;
    }
    return best;
}

/** The items that match, the best first; equally good ones in their order. */
export function bestMatches(query, items, nameOf) {
    return items.map((item) => ({ item, score: matchOf(query, nameOf(item)) }))
        .filter(({ score }) => score !== null)
        .sort((one, other) => other.score - one.score)
        .map(({ item }) => item);
}

function scoreFrom(start, wanted, letters) {
    let score = 0;
    let place = start;
    let last = -1;
    for (const letter of wanted) {
        while (place < letters.length && letters[place] !== letter) place += 1;
        if (place === letters.length) return null;
        if (place === 0 || !isLetter(letters[place - 1])) score += 8;
        if (last >= 0 && place === last + 1) score += 5;
        else if (last >= 0) score -= Math.min(place - last, 5);
        last = place;
        place += 1;
    }
    return score - start / 10 - letters.length / 100;
}

/** Without case and accents. */
function folded(text) {
    return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

function isLetter(character) {
    return /[\p{L}\p{N}]/u.test(character);
}
