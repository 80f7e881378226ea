// Times, sizes and figures of the administration, in this browser's time zone and number format. Pure
// functions.

import { text } from "../language.js";

const number = new Intl.NumberFormat();
const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const preciseMoment = new Intl.DateTimeFormat(
    undefined, { dateStyle: "medium", timeStyle: "medium" });
/** Days of the ledger are days of UTC. */
const day = new Intl.DateTimeFormat(
    undefined, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** A number. */
export function figureOf(value) {
    return number.format(value);
}

/** A time, to the minute. */
export function momentOf(time) {
    return moment.format(new Date(time));
}

/** A time, to the second. */
export function preciseMomentOf(time) {
    return preciseMoment.format(new Date(time));
}

/** A day of the ledger, such as "2026-11-22". */
export function dayOf(date) {
    return day.format(new Date(`${date}T00:00:00Z`));
}

/** A size in bytes. */
export function sizeOf(bytes) {
    const [unit, size] = [["TB", 1e12], ["GB", 1e9], ["MB", 1e6]]
        .find(([, least]) => bytes >= least) ?? ["kB", 1e3];
    return `${decimal.format(bytes / size)} ${unit}`;
}

/** How long something lasts: "40 s", "12 min", "3 h", "4 days". */
export function spanOf(seconds) {
    const steps = [["days", 172_800, 86_400], ["hours", 7_200, 3_600], ["minutes", 120, 60]];
    const [unit, , size] = steps.find(([, least]) => seconds >= least) ?? ["seconds", 0, 1];
    const count = Math.max(0, Math.round(seconds / size));
    return text(`administration.span.${unit}`, { count });
}

/** A limit in tokens; "none" without one. */
export function limitOf(limit) {
    return limit === undefined || limit === null
        ? text("administration.limit.none") : number.format(limit);
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
    return Object.entries(detail).sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, value]) => `${name.replaceAll("_", " ")}: ${value}`).join(", ");
}

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
