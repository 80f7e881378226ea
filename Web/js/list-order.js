// Which rows of a list can stay where they are when its order changes.

/**
 * The keys of `after` whose rows need not be moved: a longest sequence that has the same order in
 * `before`. All other rows are inserted around them.
 */
export function keptInPlace(before, after) {
    const positions = new Map(before.map((key, position) => [key, position]));
    const common = after.filter((key) => positions.has(key));
    return new Set(longestIncreasing(common, (key) => positions.get(key)));
}

/** A longest subsequence of `items` whose values increase (patience sorting). */
function longestIncreasing(items, valueOf) {
    /** For each length the item with the smallest value at which such a sequence ends. */
    const ends = [];
    const previous = new Map();
    for (const item of items) {
        let low = 0;
        for (let high = ends.length; low < high;) {
            const middle = (low + high) >> 1;
            if (valueOf(ends[middle]) < valueOf(item)) low = middle + 1;
            else high = middle;
        }
        previous.set(item, ends[low - 1]);
        ends[low] = item;
    }
    const sequence = [];
    for (let item = ends.at(-1); item !== undefined; item = previous.get(item)) sequence.unshift(item);
    return sequence;
}
