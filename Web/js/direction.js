// Characters that override the direction of text (UAX #9): after one of them a file name that ends in
// "gnp.exe" looks as if it ended in "exe.png", and code reads differently than it runs
// (CVE-2021-42574). The page removes them from other users' text, and makes them visible in code.
// Stored, edited and copied text keeps them.

const marks = /[\u202A-\u202E\u2066-\u2069]/g;

/** `text` without direction overrides. */
export function withoutMarks(text) {
    return text.replace(marks, "");
}

/** `text` with direction overrides replaced by their code points, such as ‹U+202E›. */
export function withVisibleMarks(text) {
    return text.replace(marks, (mark) => `‹U+${mark.codePointAt(0).toString(16).toUpperCase()}›`);
}
