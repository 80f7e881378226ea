// Times, sizes and figures of the administration, in this browser's time zone and the language's form.
// Pure functions.

import { dateText, enumerated, hasText, numberText, text } from "../language.js";
import { sentenceOf } from "../sentences.js";
import { sizeOf as plainSizeOf } from "../wording.js";

/** A number. */
export function figureOf(value) {
    return numberText(value);
}

/** A time, to the minute. */
export function momentOf(time) {
    return dateText("moment", new Date(time));
}

/** A time, to the second. */
export function preciseMomentOf(time) {
    return dateText("preciseMoment", new Date(time));
}

/** A day of the ledger, which has days of UTC, such as "2026-11-22". */
export function dayOf(date) {
    return dateText("dayOfUTC", new Date(`${date}T00:00:00Z`));
}

/** A size in bytes. */
export function sizeOf(bytes) {
    return bytes >= 1e12 ? text("unit.terabytes", { amount: bytes / 1e12 }) : plainSizeOf(bytes);
}

/** How long something lasts: "40 s", "12 min", "3 h", "4 days". */
export function spanOf(seconds) {
    const steps = [["days", 172_800, 86_400], ["hours", 7_200, 3_600], ["minutes", 120, 60]];
    const [unit, , size] = steps.find(([, least]) => seconds >= least) ?? ["seconds", 0, 1];
    const count = Math.max(0, Math.round(seconds / size));
    return text(`administration.span.${unit}`, { count });
}

/** What the doctor found, in the user's language. Its value `span` is in seconds. */
export function foundOf(found, code) {
    const { span, ...values } = code?.values ?? {};
    if (span !== undefined) values.span = spanOf(Number(span));
    return sentenceOf("found", found, code && { code: code.code, values });
}

/** A limit in tokens; "none" without one. */
export function limitOf(limit) {
    return limit === undefined || limit === null
        ? text("administration.limit.none") : numberText(limit);
}

/** What was used of a limit: "1,200 of 50,000 tokens", "1,200 tokens, no limit". */
export function useOf({ used, reserved = 0, limit }) {
    const all = used + reserved;
    return limit === undefined || limit === null
        ? text("administration.use.unlimited", { used: all })
        : text("administration.use.limited", { used: all, limit });
}

/** The number in a field for a limit: null for none. Throws for a text that is no limit. */
export function limitIn(value) {
    if (value.trim() === "") return null;
    const limit = Number(value);
    if (!Number.isSafeInteger(limit) || limit < 0) {
        throw new Error(text("administration.limit.wrong"));
    }
    return limit;
}

/** The details of an entry of the audit log: "conversation: …, role: admin". */
export function detailOf(detail = {}) {
    return enumerated(Object.entries(detail).sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, value]) => {
            const label = hasText(`audit.detail.${name}`)
                ? text(`audit.detail.${name}`) : name.replaceAll("_", " ");
            return `${label}: ${detailValueOf(name, value)}`;
        }));
}

/** The value of a detail: words of the server in the user's language, everything else as it is. */
function detailValueOf(name, value) {
    if (name === "role" || name === "before") {
        return roleNames.includes(value) ? text(`team.role.${value}`) : value;
    }
    const word = value.replaceAll(" ", "-");
    return ["administrator", "daily", "days", "monthly"].includes(name) && hasText(`audit.value.${word}`)
        ? text(`audit.value.${word}`) : value;
}

/** The roles of a team. */
const roleNames = ["owner", "admin", "member", "viewer"];

/** The time in a field of local time, for a request; undefined if it is empty. */
export function timeIn(value) {
    const time = new Date(value);
    return value === "" || Number.isNaN(+time) ? undefined : time.toISOString();
}

/** Whether an account is an administrator's. */
export function roleOf({ admin }) {
    return text(admin ? "administration.role.administrator" : "administration.role.user");
}

/** Whether an account may sign in. */
export function stateOf({ disabled }) {
    return text(disabled ? "administration.users.disabled" : "administration.users.enabled");
}
