// The page's texts in the user's language: looked up by key in a catalogue of Web/languages. Numbers,
// dates, lists and plural forms are those of the language, by Intl.

import en from "../languages/en.js";
import { withoutMarks } from "./direction.js";
import { setAttribute } from "./element.js";

const storageName = "stoa.language";

/** The languages that the page offers, each complete, with its own name. English is always loaded. */
export const languages = {
    en: { name: "English", load: () => ({ default: en }) },
    bn: { name: "বাংলা", load: () => import("../languages/bn.js") },
    el: { name: "Ελληνικά", load: () => import("../languages/el.js") },
    fi: { name: "Suomi", load: () => import("../languages/fi.js") },
    ms: { name: "Bahasa Melayu", load: () => import("../languages/ms.js") },
    tr: { name: "Türkçe", load: () => import("../languages/tr.js") },
};

/** For tests of the layout, by `?language=pseudo`: from right to left, with longer texts. */
const pseudo = {
    tag: "en-XA", isRightToLeft: true,
    load: async () => ({
        default: (await import("../languages/pseudo.js")).pseudoCatalogue(en),
    }),
};

let catalogue = en;
let format = formatsOf("en");

/**
 * Chooses the language, loads its texts, and sets the language and direction of the document. Call
 * once, before anything is shown.
 */
export async function loadLanguage() {
    const wanted = navigator.languages ?? [navigator.language];
    const isPseudo = new URLSearchParams(location.search).get("language") === "pseudo";
    const name = chosenLanguage(storedLanguage(), wanted);
    const language = isPseudo ? pseudo : languages[name];
    try {
        await useLanguage(language, isPseudo ? pseudo.tag : tagFor(name, wanted));
    } catch {
        // The texts could not be loaded: English ones are there.
    }
    document.documentElement.lang = isPseudo ? pseudo.tag : format.name;
    document.documentElement.dir = language.isRightToLeft && catalogue !== en ? "rtl" : "ltr";
}

/** Uses a language of `languages` from now on; `tag` says whose numbers and dates. */
export async function useLanguage(language, tag) {
    catalogue = (await language.load()).default;
    format = formatsOf(tag);
}

/** The first available language of: the stored choice, those that the browser asks for, English. */
export function chosenLanguage(stored, wanted) {
    return [stored, ...wanted.map(primaryOf)].find((name) => Object.hasOwn(languages, name)) ?? "en";
}

/** The browser's form of a language, whose dates and numbers the user knows: "en-GB" for "en". */
export function tagFor(name, wanted) {
    return wanted.find((tag) => primaryOf(tag) === name) ?? name;
}

/** The language chosen on this device; an empty text if the browser's applies. */
export function storedLanguage() {
    try {
        return localStorage.getItem(storageName) ?? "";
    } catch {
        return "";
    }
}

/** Chooses a language for this device, from the next loading of the page on; an empty text for none. */
export function storeLanguage(name) {
    try {
        if (name) localStorage.setItem(storageName, name);
        else localStorage.removeItem(storageName);
    } catch {
        // Storage is off: the browser's language stays.
    }
}

/**
 * The text of a key, with `{name}` replaced by `values.name`. Numbers are formatted; of an entry with
 * plural forms, `values.count` chooses one, or of ordinal forms `values.ordinal`. An unknown key is an
 * error of the program.
 */
export function text(key, values = {}) {
    return formOf(key, values)
        .replaceAll(placeholder, (_, name) => shown(values[name], name, key));
}

/**
 * The same as an array for `element` and `append`: a value may be a node, which takes the place of its
 * name.
 */
export function textParts(key, values) {
    return formOf(key, values).split(/(\{\w+\})/).filter(Boolean).map((part) => {
        const name = /^\{(\w+)\}$/.exec(part)?.[1];
        if (!name) return part;
        return typeof values[name] === "object" ? values[name] : shown(values[name], name, key);
    });
}

/** Whether there is a text with this key. */
export function hasText(key) {
    return Object.hasOwn(catalogue, key);
}

/** Whether the language is English, in which the server writes its messages. */
export function isEnglish() {
    return catalogue === en;
}

/** Names as a list within a sentence: "Ann, Bo and Cy". */
export function listed(names) {
    return format.list.format(names);
}

/** Names one after the other: "Ann, Bo, Cy". */
export function enumerated(names) {
    return names.join(text("list.separator"));
}

/** A number as the language writes it, with at most one decimal. */
export function numberText(number) {
    return format.number.format(number);
}

/** A date in one of the forms of `formatsOf`: `clock`, `weekday`, `shortDate` and so on. */
export function dateText(form, date) {
    return format[form].format(date);
}

/** Compares names in the language's order. */
export function compareNames(one, other) {
    return format.collator.compare(one, other);
}

/**
 * Fills the elements in `root` that name their texts: `data-text` (content), `data-text-label`
 * (aria-label), `data-text-title` and `data-text-placeholder`. A child with `data-name="provider"` takes
 * the place of `{provider}` in the content.
 */
export function fillTexts(root) {
    for (const [attribute, set] of Object.entries(setters)) {
        for (const node of root.querySelectorAll(`[${attribute}]`)) {
            set(node, node.getAttribute(attribute));
        }
    }
}

const setters = {
    "data-text": (node, key) => {
        const named = [...node.children].filter(({ dataset }) => dataset.name);
        const children = Object.fromEntries(named.map((child) => [child.dataset.name, child]));
        node.replaceChildren(...textParts(key, children));
    },
    "data-text-label": (node, key) => setAttribute(node, "aria-label", text(key)),
    "data-text-title": (node, key) => setAttribute(node, "title", text(key)),
    "data-text-placeholder": (node, key) => setAttribute(node, "placeholder", text(key)),
};

const placeholder = /\{(\w+)\}/g;

function formOf(key, values) {
    const entry = catalogue[key] ?? en[key];
    if (entry === undefined) throw new Error(`no text for ${key}`);
    if (typeof entry === "string") return entry;
    const category = values.ordinal === undefined
        ? format.plural.select(values.count) : format.ordinal.select(values.ordinal);
    return entry[category] ?? entry.other;
}

function shown(value, name, key) {
    if (value === undefined) throw new Error(`the text ${key} needs a value for ${name}`);
    return typeof value === "number" ? numberText(value) : withoutMarks(String(value));
}

function primaryOf(tag) {
    return tag.split("-")[0].toLowerCase();
}

function formatsOf(tag) {
    const name = primaryOf(tag);
    const date = (options) => new Intl.DateTimeFormat(tag, options);
    const dayWithYear = { day: "numeric", month: "short", year: "numeric" };
    return {
        name,
        plural: new Intl.PluralRules(tag),
        ordinal: new Intl.PluralRules(tag, { type: "ordinal" }),
        number: new Intl.NumberFormat(tag, { maximumFractionDigits: 1 }),
        // Our English has no comma before "and".
        list: new Intl.ListFormat(name === "en" ? "en-GB" : tag, { type: "conjunction" }),
        collator: new Intl.Collator(tag),
        clock: date({ hour: "numeric", minute: "2-digit" }),
        weekday: date({ weekday: "short" }),
        shortDate: date({ day: "numeric", month: "short" }),
        dateWithYear: date(dayWithYear),
        dayOfUTC: date({ ...dayWithYear, timeZone: "UTC" }),
        longDate: date({ weekday: "long", day: "numeric", month: "long", year: "numeric" }),
        moment: date({ dateStyle: "medium", timeStyle: "short" }),
        preciseMoment: date({ dateStyle: "medium", timeStyle: "medium" }),
    };
}
