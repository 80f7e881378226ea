// Sums of the ledger's days, and the measures of their chart. Pure functions.

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** The day, such as "2026-11-22", that is so many days after that of a time (UTC). */
export function dayAfter(time, days) {
    return new Date(+new Date(time) + days * dayMilliseconds).toISOString().slice(0, 10);
}

/** All days from `from` to `to`, at most `most` of them: the last ones. */
export function daysBetween(from, to, most = 400) {
    const count = Math.round((Date.parse(to) - Date.parse(from)) / dayMilliseconds) + 1;
    const shown = Math.min(Math.max(count, 0), most);
    return Array.from({ length: shown }, (_, index) => dayAfter(to, index + 1 - shown));
}

/** The sums of each of `days`, also of those without use: `[{day, used, answers}]`. */
export function sumsByDay(entries, days) {
    const sums = new Map(days.map((day) => [day, { day, used: 0, answers: 0 }]));
    for (const entry of entries) add(sums.get(entry.day), entry);
    return [...sums.values()];
}

/** The sums of each user, the heaviest first: `[{user, name, used, answers}]`. */
export function sumsByUser(entries) {
    const sums = new Map();
    for (const entry of entries) {
        const { user = null, name = null } = entry;
        if (!sums.has(user)) sums.set(user, { user, name, used: 0, answers: 0 });
        add(sums.get(user), entry);
    }
    return [...sums.values()].sort((one, other) => other.used - one.used);
}

/** The whole of several sums. */
export function totalOf(sums) {
    const total = { used: 0, answers: 0 };
    for (const sum of sums) add(total, sum);
    return total;
}

/** The values of a chart's lines: 0, and round steps to at least `most`. */
export function ticksOf(most) {
    if (most <= 0) return [0, 1];
    const rough = most / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    const factor = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= rough);
    const step = Math.max(1, factor * power);
    const count = Math.ceil(most / step);
    return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/**
 * The bars of a chart of that width and height: `[{x, y, width, height}]`, one for each value. What is
 * used is seen: no such bar is lower than 1.
 */
export function barsOf(values, top, { width, height }) {
    const step = width / Math.max(values.length, 1);
    const gap = Math.min(2, step * 0.2);
    return values.map((value, index) => {
        const full = value > 0 ? Math.max(1, (value / top) * height) : 0;
        return { x: index * step + gap / 2, y: height - full, width: step - gap, height: full };
    });
}

/** The indices of the values that are named below a chart: at most `most`, evenly apart. */
export function namedOf(count, most) {
    const step = Math.max(1, Math.ceil(count / most));
    return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);
}

function add(sum, { used, answers }) {
    if (!sum) return;
    sum.used += used;
    sum.answers += answers;
}
