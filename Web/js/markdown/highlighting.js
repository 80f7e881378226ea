// Splits code into coloured parts by Prism's tokens. The library is loaded with the first code that
// needs it.

import { languageNamed } from "./code-languages.js";

/** Longer code, and code with longer lines, is not coloured: Prism's patterns take too long. */
const lengthMax = 30_000;
const lineLengthMax = 1_000;
const kinds = /^[a-z][a-z-]*$/;

let library = null;

/** Whether code can be coloured. */
export function canHighlight(language, text) {
    return languageNamed(language).language !== null && text.length <= lengthMax
        && !text.split("\n").some((line) => line.length > lineLengthMax);
}

/** Loads the library. */
export async function loadHighlighting() {
    library ??= import("../libraries/prism.js").catch((error) => {
        // Without a connection code stays plain; the next block tries again.
        library = null;
        throw error;
    });
    return (await library).Prism;
}

/** The nodes of a text, as in tree.js: strings, and spans of a token's kind. */
export function highlighted(prism, language, text) {
    const grammar = prism.languages[languageNamed(language).language];
    return grammar ? nodesOf(prism.tokenize(text, grammar)) : [text];
}

function nodesOf(tokens) {
    return [tokens].flat().flatMap((token) => {
        if (typeof token === "string") return token === "" ? [] : [token];
        const names = [token.type, token.alias ?? []].flat().filter((name) => kinds.test(name));
        return [{
            name: "span",
            attributes: { class: names.map((name) => `code-${name}`).join(" ") },
            children: nodesOf(token.content),
        }];
    });
}
