// The server's errors in the user's language, by their codes (docs/reference/errors.md).

import { isEnglish, text } from "./language.js";

/** Codes whose messages say more: which field, which limit, what is in the way. */
const detailed = ["bad_request", "conflict", "context_exceeded", "forbidden", "limit_exceeded"];

/** All codes of the protocol. */
export const errorCodes = [
    ...detailed, "budget_exceeded", "busy", "engine_failed", "internal", "not_found", "rate_limited",
    "unauthenticated", "unavailable", "unknown_op", "wrong_credentials",
];

/**
 * The sentence for a server's error, `{code, message}`: in English its message; in other languages the
 * sentence of its code, followed by the message where that says more.
 */
export function errorText({ code, message }) {
    const isKnown = errorCodes.includes(code);
    if (message && (isEnglish() || !isKnown)) return message;
    const sentence = text(`error.${isKnown ? code : "internal"}`);
    return message && detailed.includes(code)
        ? text("error.detailed", { sentence, message }) : sentence;
}
