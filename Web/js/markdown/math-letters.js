// The letters of a style, such as ℝ for a double-struck R: browsers ignore `mathvariant`, and
// Unicode has these letters (Mathematical Alphanumeric Symbols, U+1D400 to U+1D7FF).

/** Where a style's A, a and 0 are. */
const styles = {
    "bold": [0x1D400, 0x1D41A, 0x1D7CE],
    "italic": [0x1D434, 0x1D44E, null],
    "bold-italic": [0x1D468, 0x1D482, null],
    "script": [0x1D49C, 0x1D4B6, null],
    "bold-script": [0x1D4D0, 0x1D4EA, null],
    "fraktur": [0x1D504, 0x1D51E, null],
    "double-struck": [0x1D538, 0x1D552, 0x1D7D8],
    "bold-fraktur": [0x1D56C, 0x1D586, null],
    "sans-serif": [0x1D5A0, 0x1D5BA, 0x1D7E2],
    "bold-sans-serif": [0x1D5D4, 0x1D5EE, 0x1D7EC],
    "sans-serif-italic": [0x1D608, 0x1D622, null],
    "sans-serif-bold-italic": [0x1D63C, 0x1D656, null],
    "monospace": [0x1D670, 0x1D68A, 0x1D7F6],
};
/** Letters that had a place in Unicode before the others. */
const elsewhere = {
    "italic h": "ℎ",
    "script B": "ℬ", "script E": "ℰ", "script F": "ℱ", "script H": "ℋ", "script I": "ℐ",
    "script L": "ℒ", "script M": "ℳ", "script R": "ℛ", "script e": "ℯ", "script g": "ℊ",
    "script o": "ℴ",
    "fraktur C": "ℭ", "fraktur H": "ℌ", "fraktur I": "ℑ", "fraktur R": "ℜ", "fraktur Z": "ℨ",
    "double-struck C": "ℂ", "double-struck H": "ℍ", "double-struck N": "ℕ", "double-struck P": "ℙ",
    "double-struck Q": "ℚ", "double-struck R": "ℝ", "double-struck Z": "ℤ",
};

/** A text with its Latin letters and digits in a style; others stay. */
export function styledLetters(text, style) {
    const firsts = styles[style];
    if (!firsts) return text;
    return text.replaceAll(/[A-Za-z0-9]/g, (letter) => {
        const known = elsewhere[`${style} ${letter}`];
        if (known) return known;
        const [index, first] = letter <= "9" ? [2, "0"] : letter <= "Z" ? [0, "A"] : [1, "a"];
        if (firsts[index] === null) return letter;
        return String.fromCodePoint(firsts[index] + letter.charCodeAt(0) - first.charCodeAt(0));
    });
}
