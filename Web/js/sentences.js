// The server's sentences in the user's language, by their codes (docs/reference/sentences.md).

import { hasText, isEnglish, text } from "./language.js";

/**
 * A sentence of the server, `{code, values}` beside it: in English the sentence itself; in other
 * languages the text of its code, or the sentence if the page does not know the code. `group` is
 * "advice", "found", "import" or "model".
 */
export function sentenceOf(group, sentence, { code, values = {} } = {}) {
    return isEnglish() || !hasText(`sentence.${group}.${code}`)
        ? sentence : text(`sentence.${group}.${code}`, values);
}

/** What an entry of the audit log says was done; the action's code if the page does not know it. */
export function actionOf(action) {
    const name = action.replaceAll(".", "-");
    return hasText(`sentence.action.${name}`) ? text(`sentence.action.${name}`) : action;
}

/** Why a model failed; undefined if the user may not know. */
export function reasonOf({ reason, reason_code: code }) {
    return reason === undefined ? undefined : sentenceOf("model", reason, code);
}

/** What an import says of one kind of note, as sentences with their counts: `[[sentence, count]]`. */
export function importNotesOf({ reasons = {}, codes } = {}) {
    if (isEnglish() || !codes) return Object.entries(reasons);
    return Object.entries(codes).map(([code, count]) => [sentenceOf("import", code, { code }), count]);
}

/** The area and the name of a check of the doctor: "database: dead rows". */
export function checkNameOf({ area, name }) {
    const part = name.replaceAll(" ", "-");
    const words = [
        hasText(`sentence.area.${area}`) ? text(`sentence.area.${area}`) : area,
        hasText(`sentence.check.${part}`) ? text(`sentence.check.${part}`) : name,
    ];
    return words.join(": ");
}
