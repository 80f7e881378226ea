// What the page says about the server's objects: times, names, figures. Pure functions; their texts are
// in the catalogue of the language.

import { withoutMarks } from "./direction.js";
import { errorText } from "./error-texts.js";
import { dateText, enumerated, listed, numberText, text } from "./language.js";
import { importNotesOf, sentenceOf } from "./sentences.js";

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** A time in a list: the clock time today, the weekday this week, else the date. */
export function briefTime(time, now = new Date()) {
    const date = new Date(time);
    if (date.toDateString() === now.toDateString()) return dateText("clock", date);
    return dateText(now - date < 6 * dayMilliseconds ? "weekday" : "shortDate", date);
}

/** A time above a message. */
export function fullTime(time, now = new Date()) {
    const date = new Date(time);
    const clock = dateText("clock", date);
    const day = nearDayOf(date, now);
    if (day === "today") return text("time.today", { time: clock });
    if (day === "yesterday") return text("time.yesterday", { time: clock });
    return text("time.date-and-time", { date: dateText("longDate", date), time: clock });
}

/** A time within a sentence: "today 12:30", "3 May", "3 May 2024". */
export function timeWithin(time, now = new Date()) {
    const date = new Date(time);
    const day = nearDayOf(date, now);
    if (day) return text(`time.within.${day}`, { time: dateText("clock", date) });
    return dateText(date.getFullYear() === now.getFullYear() ? "shortDate" : "dateWithYear", date);
}

/** A time to the minute, within a sentence: "today 12:30", "Friday 3 May 2024, 12:30". */
export function exactTimeWithin(time, now = new Date()) {
    const date = new Date(time);
    if (nearDayOf(date, now)) return timeWithin(time, now);
    return text("time.date-and-time", {
        date: dateText("longDate", date), time: dateText("clock", date),
    });
}

/** When something happens, within a sentence: "tomorrow 12:30", "on 3 May". */
export function momentOf(time, now = new Date()) {
    const words = timeWithin(time, now);
    return nearDayOf(new Date(time), now) ? words : text("time.on", { date: words });
}

/** "today", "yesterday", "tomorrow", or undefined. */
function nearDayOf(date, now) {
    const days = {
        [now.toDateString()]: "today",
        [new Date(now - dayMilliseconds).toDateString()]: "yesterday",
        [new Date(+now + dayMilliseconds).toDateString()]: "tomorrow",
    };
    return days[date.toDateString()];
}

/** The expiry of a temporary conversation. */
export function endOf(time, now = new Date()) {
    return text("temporary.ends", { when: timeWithin(time, now) });
}

/** A conversation's title, which comes from its first message by default. */
export function titleOf(conversation) {
    return conversation?.title || text("conversations.new");
}

/** The initials in the circle beside a user's messages. */
export function initials(name) {
    const shown = withoutMarks(name);
    const words = shown.split(/[\s._-]+/).filter(Boolean);
    const named = words.length > 1 ? words.slice(0, 2) : [shown];
    return named.map(firstCharacter).join("").toUpperCase();
}

/** A question's author: the account's name, or the name from another system. */
export function authorOf({ author, authorName }) {
    return author?.name ?? authorName ?? text("people.former");
}

/** "You, Ann and Phi": the participants. */
export function participants(members, ownID) {
    const others = members.filter((member) => member.user.id !== ownID);
    const shown = others.slice(0, 4).map((member) => member.user.name);
    if (others.length > shown.length) {
        shown.push(text("people.more", { count: others.length - shown.length }));
    }
    return listed([text("people.you"), ...shown, "Phi"]);
}

/** An answer's usage, in short. */
export function paceOf(usage) {
    return joined(
        text("usage.pace", { pace: usage.tokens_per_second }),
        text("usage.tokens", { count: usage.completion_tokens }));
}

/** An answer's usage, in full. */
export function costOf(usage) {
    const { prompt_tokens: count, cached_tokens: cached } = usage;
    return [
        text("usage.prompt", { count, cached }),
        text("usage.first-token", { seconds: usage.time_to_first_token_ms / 1000 }),
        chargeOf(usage),
    ].filter(Boolean).join(" ");
}

/** An answer's charge; empty if unknown. */
export function chargeOf({ charged_tokens: count } = {}) {
    return count === undefined ? "" : text("usage.charged", { count });
}

/** The state of a queued or running answer; empty if the dots are enough. */
export function activityOf(message) {
    if (message.progress) {
        const { done, total } = message.progress;
        return text("activity.reading", { percent: Math.floor(100 * done / Math.max(total, 1)) });
    }
    if (message.state !== "queued") return "";
    if (message.model) {
        const { name, state } = message.model;
        if (state === "standby") return text("activity.standby", { name });
        return text("activity.model", { name, state: modelStateOf(message.model) });
    }
    if (message.position === null) return text("activity.waiting");
    const place = message.position <= 1
        ? text("activity.next") : text("activity.place", { ordinal: message.position });
    if (message.eta === null) return place;
    return text("activity.place-and-time", { place, duration: durationOf(Math.max(message.eta, 1)) });
}

/** A model's state: "ready", "loading, 40 %". */
export function modelStateOf(model) {
    switch (model.state) {
    case "fetching": return text("model.state.fetching", { percent: percentOf(model) });
    case "loading": return text("model.state.loading", { percent: percentOf(model) });
    case "failed": return text("model.state.failed");
    case "standby": return text("model.state.standby");
    case "unloading": return text("model.state.unloading");
    case "unloaded": return text("model.state.unloaded");
    default: return model.default ? text("model.state.default") : text("model.state.ready");
    }
}

/** How long a model may think, where the server has a limit for it. */
export function thinkingOf({ max_thinking_tokens: limit }) {
    if (limit === undefined) return "";
    return limit === 0 ? text("model.thinking.off") : text("model.thinking.limit", { limit: numberText(limit) });
}

/** The loaded percentage of a model. */
export function percentOf(model) {
    return text("unit.percent", { amount: Math.floor(100 * (model.progress ?? 0)) });
}

/** The progress of fetching a model: "1.2 GB of 2.3 GB · 35 MB/s · 2 min left". */
export function fetchFiguresOf({ fetch }) {
    if (!fetch) return "";
    const { done_bytes: done, total_bytes: total, bytes_per_second: speed, seconds_left: left } = fetch;
    return joined(
        total > 0 && text("model.fetch.done", { done: sizeOf(done), total: sizeOf(total) }),
        speed > 0 && text("model.fetch.speed", { size: sizeOf(speed) }),
        left >= 0 && text("model.fetch.left", { duration: durationOf(left) }),
        fetch.note && sentenceOf("model", fetch.note, fetch.note_code));
}

/** How an answer ended, if that is notable. */
export function endingOf(message) {
    if (message.state === "failed") {
        return message.error ? errorText(message.error) : text("answer.failed");
    }
    if (message.state === "stopped") return text("answer.stopped");
    if (message.finish !== "length") return "";
    return text(message.usage?.shortened_to ? "answer.ended.budget" : "answer.ended.length");
}

/** "3 earlier messages left out", "8 earlier messages summarized", both, or empty. */
export function omissionOf({ droppedMessages: dropped, summarizedMessages: summarized }) {
    const parts = [];
    if (summarized > 0) parts.push(text("omission.summarized", { count: summarized }));
    if (dropped > 0) parts.push(text("omission.dropped", { count: dropped }));
    return enumerated(parts);
}

/** "version 2 of this conversation's own", or "version 1 of the server's". */
export function promptNameOf(prompt) {
    if (!prompt) return "";
    const { scope, version, library } = prompt;
    const name = scope === "server"
        ? text("prompts.version.server", { version }) : text("prompts.version.own", { version });
    if (!library) return name;
    return text("prompts.version.library", {
        prompt: name, library: library.name, version: library.version,
    });
}

const programs = [
    [/\bEdg(?:e|A|iOS)?\//, "Edge"], [/\bOPR\//, "Opera"], [/\b(?:Firefox|FxiOS)\//, "Firefox"],
    [/\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//, "Chrome"], [/\bSafari\//, "Safari"],
];
const systems = [
    [/\biPhone\b/, "iPhone"], [/\biPad\b/, "iPad"], [/\bAndroid\b/, "Android"],
    [/\bWindows\b/, "Windows"], [/\bMac OS X\b/, "Mac"], [/\bCrOS\b/, "ChromeOS"],
    [/\bLinux\b/, "Linux"],
];

/** A device's name from its user agent: "Firefox on Linux", or its first word. */
export function deviceOf(userAgent) {
    const find = (table) => table.find(([pattern]) => pattern.test(userAgent))?.[1];
    const program = find(programs);
    const system = find(systems);
    if (program) return system ? text("session.device", { program, system }) : program;
    // A name that its user chose, such as "stoa 1.0 on laptop", begins with no product and version (RFC
    // 9110, section 10.1.5).
    const name = userAgent.trim();
    if (name && !/^[\w!#$%&'*+.^`|~-]+\//.test(name)) return [...name].slice(0, 60).join("");
    const [word] = name.split(/[\s/]/u);
    return [...word].slice(0, 40).join("") || text("session.device.unknown");
}

/** A session's note: when it was used, and when it was created. */
export function signInNoteOf(session, now = new Date()) {
    const since = text("session.since", { time: timeWithin(session.created_at, now) });
    if (session.current) return joined(text("session.current"), since);
    return joined(text("session.used", { time: timeWithin(session.last_used_at, now) }), since);
}

/** The result of ending all other sessions. */
export function endedElsewhereOf(count) {
    return count === 0 ? text("session.ended.none") : text("session.ended", { count });
}

const scopes = ["read", "write", "complete", "account", "administer"];

/** An API key's note: its rights, last use and expiry. */
export function keyNoteOf(key, now = new Date()) {
    const rights = key.scopes.map(
        (scope) => (scopes.includes(scope) ? text(`api-key.right.${scope}`) : scope));
    return joined(
        text("api-key.may", { rights: enumerated(rights) }),
        key.last_used_at
            ? text("api-key.used", { time: timeWithin(key.last_used_at, now) }) : text("api-key.unused"),
        endNoteOf(key.expires_at, now));
}

/** "until 3 May", or that there is no end. */
export function endNoteOf(end, now = new Date()) {
    return end ? text("time.until", { time: timeWithin(end, now) }) : text("time.endless");
}

const roles = ["owner", "admin", "member", "viewer"];

/** The name of a role in a team. */
export function roleOf(role) {
    return roles.includes(role) ? text(`team.role.${role}`) : role;
}

/** The user's own role in a team. */
export function teamRoleOf(role) {
    return roles.includes(role) ? text(`team.own-role.${role}`) : "";
}

/** A team's note for its members. */
export function teamNoteOf({ role, retention_days: count }) {
    const own = teamRoleOf(role);
    return count === undefined
        ? text("team.note", { role: own }) : text("team.note.retention", { role: own, count });
}

/** A team link's note. */
export function inviteNoteOf(invite, now = new Date()) {
    return joined(
        text("team.link.note", {
            role: roleOf(invite.role), count: invite.uses_left, time: timeWithin(invite.expires_at, now),
        }),
        text("team.link.maker", { name: invite.created_by.name }));
}

/** The note of a conversation that is open to its team. */
export function openConversationNoteOf({ members, updated_at: updatedAt }, now = new Date()) {
    return joined(text("people.count", { count: members }), timeWithin(updatedAt, now));
}

/** Who can be invited into a conversation, and what they will see. */
export function inviteHintOf(team) {
    const seen = text("invite.hint");
    return team ? `${seen} ${text("invite.hint.team", { team: team.name })}` : seen;
}

/** The author of a search result: "ada:", "Phi:"; empty if unknown. */
export function speakerOf({ role, author }) {
    if (author) return text("people.speaker", { name: author.name });
    return role === "assistant" ? text("people.speaker", { name: "Phi" }) : "";
}

/** The label of the search filters' button. */
export function filtersLabelOf(count) {
    return count === 0 ? text("search.filters") : text("search.filters.set", { count });
}

/** The usage of a limit: "Today 1,200 of 50,000 tokens. This month 31,000 tokens." */
export function usageOf(usage) {
    return ["day", "month"].map((period) => {
        const { used, reserved = 0, limit = null } = usage[period];
        return limit === null ? text(`usage.${period}`, { used: used + reserved })
            : text(`usage.${period}.limit`, { used: used + reserved, limit });
    }).join(" ");
}

/** The note of an archived or deleted conversation. */
export function archiveNoteOf(conversation, now = new Date()) {
    const { deleted_at: deleted, purge_at: purge, expires_at: end } = conversation;
    const time = (at) => ({ time: timeWithin(at, now) });
    if (!deleted) return joined(text("archive.archived"), end && text("archive.ends", time(end)));
    return joined(text("archive.deleted", time(deleted)), purge && text("archive.kept", time(purge)));
}

const importedKinds = new Set([
    "user", "team", "team_member", "prompt", "prompt_version", "system_prompt", "conversation", "member",
    "message", "receipt", "feedback", "summary",
]);

/** An import's result, line by line. */
export function importReportOf({ created = {}, found = {}, skipped, changed }, isTrial) {
    const kinds = (counts) => enumerated(Object.entries(counts).map(([kind, count]) => (
        importedKinds.has(kind) ? text(`import.kind.${kind}`, { count })
            : text("import.kind", { count, kind: kind.replaceAll("_", " ") }))));
    const things = kinds(created) || text("import.nothing");
    const lines = [isTrial ? text("import.would", { things }) : text("import.made", { things })];
    if (Object.keys(found).length > 0) lines.push(text("import.found", { things: kinds(found) }));
    for (const [reason, count] of importNotesOf(skipped)) {
        lines.push(text("import.left-out", { count, reason }));
    }
    for (const [reason, count] of importNotesOf(changed)) {
        lines.push(text("import.changed", { count, reason }));
    }
    return lines;
}

/** The line below a conversation's title in the list: its team, and the other members. */
export function rowDetailOf({ team, names }) {
    return joined(team?.name, names.length > 0 && text("people.with", { names: enumerated(names) }));
}

/** A size in bytes: "1.2 MB". */
export function sizeOf(bytes) {
    if (bytes >= 1e9) return text("unit.gigabytes", { amount: bytes / 1e9 });
    if (bytes >= 1e6) return text("unit.megabytes", { amount: bytes / 1e6 });
    return text("unit.kilobytes", { amount: bytes / 1e3 });
}

/** A duration, rounded: "12 s", "3 min", "2.5 h". */
export function durationOf(seconds) {
    if (seconds >= 5400) return text("unit.hours", { amount: seconds / 3600 });
    if (seconds >= 90) return text("unit.minutes", { amount: Math.round(seconds / 60) });
    return text("unit.seconds", { amount: Math.ceil(seconds) });
}

/** Notes beside each other; what is false or empty is left out. */
function joined(...notes) {
    return notes.filter(Boolean).join(" · ");
}

function firstCharacter(text) {
    return [...text][0] ?? "";
}
