// Variables of library prompts: `{{name}}`. Pure functions.

const pattern = /\{\{\s*([\p{L}\p{N}_][\p{L}\p{N}\p{M}_ -]{0,62}?)\s*\}\}/gu;

/** The names of the variables in a text, each once, in the order of their first use. */
export function variablesIn(text) {
    return [...new Set([...text.matchAll(pattern)].map(([, name]) => name))];
}

/** The text with the values of its variables; one without a value stays as it is. */
export function withValues(text, values) {
    return text.replaceAll(pattern, (whole, name) =>
        (Object.hasOwn(values, name) ? values[name] : whole));
}
