// Characters that override the direction of writing (UAX #9): behind one of them a file name that ends
// in "gnp.exe" looks as if it ended in "exe.png", and code reads other than it runs (CVE-2021-42574).
// Texts of others are shown without them, and in code they are seen. What is stored, edited and copied
// keeps them.

const marks = /[\u202A-\u202E\u2066-\u2069]/g;

/** `text` without them. */
export function withoutMarks(text) {
    return text.replace(marks, "");
}

/** `text` with their numbers in their places, such as ‹U+202E›. */
export function withVisibleMarks(text) {
    return text.replace(marks, (mark) => `‹U+${mark.codePointAt(0).toString(16).toUpperCase()}›`);
}
