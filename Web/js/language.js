// The page's texts in the user's language: looked up by key in a catalogue of Web/languages.

import en from "../languages/en.js";
import { withoutMarks } from "./direction.js";
import { setAttribute, setText } from "./element.js";

const tag = "en";
const catalogue = en;
const pluralRules = new Intl.PluralRules(tag);
const number = new Intl.NumberFormat(tag, { maximumFractionDigits: 1 });

/**
 * The text of a key, with `{name}` replaced by `values.name`. Numbers are formatted; of an entry with
 * plural forms, `values.count` chooses one. An unknown key is an error of the program.
 */
export function text(key, values = {}) {
    const entry = catalogue[key] ?? en[key];
    if (entry === undefined) throw new Error(`no text for ${key}`);
    const form = typeof entry === "string" ? entry
        : entry[pluralRules.select(values.count)] ?? entry.other;
    return form.replaceAll(/\{(\w+)\}/g, (_, name) => shown(values[name], name, key));
}

/**
 * Fills the elements in `root` that name their texts: `data-text` (content), `data-text-label`
 * (aria-label), `data-text-title` and `data-text-placeholder`.
 */
export function fillTexts(root) {
    for (const [attribute, set] of Object.entries(setters)) {
        for (const node of root.querySelectorAll(`[${attribute}]`)) {
            set(node, text(node.getAttribute(attribute)));
        }
    }
}

const setters = {
    "data-text": setText,
    "data-text-label": (node, value) => setAttribute(node, "aria-label", value),
    "data-text-title": (node, value) => setAttribute(node, "title", value),
    "data-text-placeholder": (node, value) => setAttribute(node, "placeholder", value),
};

function shown(value, name, key) {
    if (value === undefined) throw new Error(`the text ${key} needs a value for ${name}`);
    return typeof value === "number" ? number.format(value) : withoutMarks(String(value));
}
