// Made from English for tests of the layout: accents and brackets show that a text comes from the
// catalogue and is not put together, longer texts that there is room. Loaded by `?language=pseudo`, which
// also sets the direction from right to left.

const accents = Object.fromEntries([..."aàbƀcçdđeéfƒgĝhĥiîjĵkķlļmɱnñoôpþqǫrŕsštţuûvṽwŵxẋyýzž"]
    .flatMap((letter, at, all) => (at % 2 === 0 ? [[letter, all[at + 1]]] : [])));

/** A text with accents, a third longer, in brackets; `{names}` stay. */
export function pseudoText(text) {
    const accented = text.split(/(\{\w+\})/).map((part) => (part.startsWith("{") ? part
        : [...part].map((letter) => accents[letter] ?? letter).join(""))).join("");
    return `[${accented}${"·".repeat(Math.ceil(text.length / 3))}]`;
}

/** The entries that stay, since code or other entries put them between texts. */
const kept = new Set(["list.separator"]);

/** The catalogue, made from the English one. */
export function pseudoCatalogue(english) {
    return Object.fromEntries(Object.entries(english).map(([key, entry]) => {
        if (kept.has(key)) return [key, entry];
        if (typeof entry === "string") return [key, pseudoText(entry)];
        const forms = Object.entries(entry).map(([category, form]) => [category, pseudoText(form)]);
        return [key, Object.fromEntries(forms)];
    }));
}
