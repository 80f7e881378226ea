// The page's texts and figures: times, names, usage. Pure functions.

import { withoutMarks } from "./direction.js";

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short" });
const shortDate = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const dateWithYear = new Intl.DateTimeFormat(
    undefined, { day: "numeric", month: "short", year: "numeric" });
const longDate = new Intl.DateTimeFormat(
    undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const dayMilliseconds = 24 * 60 * 60 * 1000;

/** A time in a list: the clock time today, the weekday this week, else the date. */
export function briefTime(time, now = new Date()) {
    const date = new Date(time);
    if (date.toDateString() === now.toDateString()) return clock.format(date);
    return (now - date < 6 * dayMilliseconds ? weekday : shortDate).format(date);
}

/** A time above a message. */
export function fullTime(time, now = new Date()) {
    const date = new Date(time);
    const yesterday = new Date(now - dayMilliseconds);
    if (date.toDateString() === now.toDateString()) return `Today ${clock.format(date)}`;
    if (date.toDateString() === yesterday.toDateString()) return `Yesterday ${clock.format(date)}`;
    return `${longDate.format(date)}, ${clock.format(date)}`;
}

/** A time within a sentence: "today 12:30", "3 May", "3 May 2024". */
export function timeWithin(time, now = new Date()) {
    const date = new Date(time);
    const near = { [now.toDateString()]: "today" };
    near[new Date(now - dayMilliseconds).toDateString()] = "yesterday";
    near[new Date(+now + dayMilliseconds).toDateString()] = "tomorrow";
    const day = near[date.toDateString()];
    if (day) return `${day} ${clock.format(date)}`;
    return (date.getFullYear() === now.getFullYear() ? shortDate : dateWithYear).format(date);
}

/** The expiry of a temporary conversation. */
export function endOf(time, now = new Date()) {
    return `Ends ${timeWithin(time, now)}`;
}

/** A conversation's title, which comes from its first message by default. */
export function titleOf(conversation) {
    return conversation?.title || "New conversation";
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
    return author?.name ?? authorName ?? "A former member";
}

/** "You, Ann and Phi": the participants. */
export function participants(members, ownID) {
    const others = members.filter((member) => member.user.id !== ownID);
    const shown = others.slice(0, 4).map((member) => member.user.name);
    if (others.length > shown.length) shown.push(`${others.length - shown.length} more`);
    return `${["You", ...shown].join(", ")} and Phi`;
}

/** An answer's usage, in short. */
export function paceOf(usage) {
    const pace = `${number.format(usage.tokens_per_second)} tokens/s`;
    return `${pace} · ${count(usage.completion_tokens, "token")}`;
}

/** An answer's usage, in full. */
export function costOf(usage) {
    const { prompt_tokens: prompt, cached_tokens: cached } = usage;
    const seconds = number.format(usage.time_to_first_token_ms / 1000);
    return `Prompt: ${count(prompt, "token")}, of which ${number.format(cached)} were known. `
        + [`First token after ${seconds} s.`, chargeOf(usage)].filter(Boolean).join(" ");
}

/** An answer's charge; empty if unknown. */
export function chargeOf({ charged_tokens: charged } = {}) {
    return charged === undefined ? "" : `Charged: ${count(charged, "token")}.`;
}

/** The state of a queued or running answer; empty if the dots are enough. */
export function activityOf(message) {
    if (message.progress) {
        const { done, total } = message.progress;
        const percent = Math.floor(100 * done / Math.max(total, 1));
        return `Reading the conversation, ${percent} %`;
    }
    if (message.state !== "queued") return "";
    if (message.model) return `${message.model.name} is ${modelStateOf(message.model)}`;
    if (message.position === null) return "Waiting";
    const place = message.position <= 1 ? "Next in line" : `${ordinalOf(message.position)} in line`;
    return message.eta === null ? place : `${place}, about ${durationOf(Math.max(message.eta, 1))}`;
}

/** A model's state: "ready", "loading, 40 %". */
export function modelStateOf(model) {
    switch (model.state) {
    case "fetching": return `being fetched, ${percentOf(model)}`;
    case "loading": return `loading, ${percentOf(model)}`;
    case "failed": return "failed";
    default: return model.default ? "ready, the default" : "ready";
    }
}

/** The loaded percentage of a model. */
export function percentOf(model) {
    return `${Math.floor(100 * (model.progress ?? 0))} %`;
}

/** The progress of fetching a model: "1.2 GB of 2.3 GB · 35 MB/s · 2 min left". */
export function fetchFiguresOf({ fetch }) {
    if (!fetch) return "";
    const parts = [];
    if (fetch.total_bytes > 0) {
        parts.push(`${sizeOf(fetch.done_bytes)} of ${sizeOf(fetch.total_bytes)}`);
    }
    if (fetch.bytes_per_second > 0) parts.push(`${sizeOf(fetch.bytes_per_second)}/s`);
    if (fetch.seconds_left >= 0) parts.push(`${durationOf(fetch.seconds_left)} left`);
    if (fetch.note) parts.push(fetch.note);
    return parts.join(" · ");
}

/** How an answer ended, if that is notable. */
export function endingOf(message) {
    if (message.state === "failed") {
        return message.error?.message ?? "Phi could not finish this answer.";
    }
    if (message.state === "stopped") return "Stopped";
    if (message.finish === "length" && message.usage?.shortened_to) {
        return "Ended here: your token budget had no room for a longer answer";
    }
    if (message.finish === "length") return "Ended at the longest allowed answer";
    return "";
}

/** "3 earlier messages left out", "8 earlier messages summarized", both, or empty. */
export function omissionOf({ droppedMessages: dropped, summarizedMessages: summarized }) {
    const parts = [];
    if (summarized > 0) parts.push(`${count(summarized, "earlier message")} summarized`);
    if (dropped > 0) parts.push(`${count(dropped, "earlier message")} left out`);
    return parts.join(", ");
}

/** "version 2 of this conversation's own", or "version 1 of the server's". */
export function promptNameOf(version) {
    if (!version) return "";
    const owner = version.scope === "server" ? "the server's" : "this conversation's own";
    const name = `version ${number.format(version.version)} of ${owner}`;
    const { library } = version;
    if (!library) return name;
    return `${name}, from “${library.name}” (version ${number.format(library.version)})`;
}

/**
 * A receipt's content, as `{lead, rows: [{kind, name, text, tokens}]}`. `messageOf` returns the
 * page's message with an id, or undefined if it is not loaded.
 */
export function givenOf(receipt, messageOf) {
    const rows = [];
    const leftOut = receipt.left_out;
    const leftOutRow = leftOut && {
        kind: "left-out",
        name: "Left out",
        text: `${count(leftOut.count, "message")} before these, which did not fit`,
        tokens: "–",
    };
    let isLeftOutListed = !leftOut;
    for (const entry of receipt.entries) {
        if (entry.message && !isLeftOutListed) {
            rows.push(leftOutRow);
            isLeftOutListed = true;
        }
        rows.push(givenRow(entry, receipt, messageOf));
    }
    if (receipt.scaffold_tokens > 0) {
        rows.push({
            kind: "scaffold",
            name: "Opening",
            text: "of the answer",
            tokens: number.format(receipt.scaffold_tokens),
        });
    }
    const cached = receipt.cached_tokens ?? receipt.run?.prompt?.cached ?? 0;
    const lead = `${count(receipt.prompt_tokens, "token")} in all, of which `
        + `${number.format(cached)} were known already.`;
    return { lead, rows };
}

function givenRow(entry, receipt, messageOf) {
    const tokens = number.format(entry.tokens);
    if (entry.summary) {
        const covered = receipt.summarized?.count ?? 0;
        return {
            kind: "summary",
            name: "Summary",
            text: `of the first ${count(covered, "message")}`,
            tokens,
        };
    }
    if (!entry.message) {
        const text = promptNameOf(receipt.system_prompt);
        return { kind: "system-prompt", name: "System prompt", text, tokens };
    }
    const message = messageOf(entry.message);
    if (!message) return { kind: "message", name: "Message", text: "further up", tokens };
    const name = message.role === "assistant" ? "Phi" : authorOf(message);
    return { kind: "message", name, text: beginningOf(message.text), tokens };
}

/** Shown above the sign-in card after a session ended without the user's action. */
export const signInEnded = "Your sign-in has ended: from another device, by an administrator, or after "
    + "its time. Sign in to go on where you were: nothing that you wrote is lost.";

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
    if (program) return system ? `${program} on ${system}` : program;
    const [word] = userAgent.trim().split(/[\s/]/u);
    return [...word].slice(0, 40).join("") || "An unknown program";
}

/** A session's note: when it was used, and when it was created. */
export function signInNoteOf(session, now = new Date()) {
    const since = `since ${timeWithin(session.created_at, now)}`;
    if (session.current) return `This device · ${since}`;
    return `Last used ${timeWithin(session.last_used_at, now)} · ${since}`;
}

/** The result of ending all other sessions. */
export function endedElsewhereOf(ended) {
    return ended === 0 ? "You were signed in nowhere else."
        : `Signed out on ${count(ended, "other device")}.`;
}

const scopeWords = {
    read: "read", write: "write", account: "change the account", administer: "administer",
};

/** An API key's note: its rights, last use and expiry. */
export function keyNoteOf(key, now = new Date()) {
    const scopes = key.scopes.map((scope) => scopeWords[scope] ?? scope).join(", ");
    const use = key.last_used_at ? `last used ${timeWithin(key.last_used_at, now)}` : "never used";
    const end = key.expires_at ? `until ${timeWithin(key.expires_at, now)}` : "without an end";
    return `May ${scopes} · ${use} · ${end}`;
}

const teamRoles = {
    owner: "You own this team",
    admin: "You administer this team",
    member: "You are in this team",
    viewer: "You may read in this team",
};

/** The user's role in a team. */
export function teamRoleOf(role) {
    return teamRoles[role] ?? "";
}

/** A team's note for its members. */
export function teamNoteOf({ role, retention_days: days }) {
    const isKept = days === undefined;
    return `${teamRoleOf(role)}.` + (isKept ? "" : " Its conversations are deleted after "
        + `${days === 1 ? "a day" : `${days} days`} in which nothing happens.`);
}

/** A team link's note. */
export function inviteNoteOf(invite, now = new Date()) {
    const uses = invite.uses_left === 1 ? "for one person" : `for ${invite.uses_left} people`;
    return `As ${invite.role}, ${uses}, until ${timeWithin(invite.expires_at, now)} · `
        + `made by ${invite.created_by.name}`;
}

/** The note of a conversation that is open to its team. */
export function openConversationNoteOf({ members, updated_at: updatedAt }, now = new Date()) {
    const people = members === 1 ? "1 person" : `${number.format(members)} people`;
    return `${people} · ${timeWithin(updatedAt, now)}`;
}

/** Who can be invited into a conversation, and what they will see. */
export function inviteHintOf(team) {
    const seen = "Everybody in the conversation sees every message of it.";
    return team ? `${seen} It belongs to ${team.name}: only people of that team can be in it.` : seen;
}

/** The author of a search result: "ada:", "Phi:"; empty if unknown. */
export function speakerOf({ role, author }) {
    if (author) return `${author.name}:`;
    return role === "assistant" ? "Phi:" : "";
}

/** The label of the search filters' button. */
export function filtersLabelOf(count) {
    return count === 0 ? "Filters" : `Filters, ${number.format(count)} set`;
}

/** The usage of a limit: "Today 1,200 of 50,000 tokens. This month 31,000 tokens." */
export function usageOf({ day, month }) {
    const spent = (name, { used, reserved = 0, limit }) => {
        const whole = number.format(used + reserved);
        return limit === undefined || limit === null
            ? `${name} ${whole} tokens.` : `${name} ${whole} of ${number.format(limit)} tokens.`;
    };
    return `${spent("Today", day)} ${spent("This month", month)}`;
}

/** The note of an archived or deleted conversation. */
export function archiveNoteOf(conversation, now = new Date()) {
    if (!conversation.deleted_at) {
        return conversation.expires_at
            ? `Archived · ends ${timeWithin(conversation.expires_at, now)}` : "Archived";
    }
    const gone = `Deleted ${timeWithin(conversation.deleted_at, now)}`;
    return conversation.purge_at
        ? `${gone} · kept until ${timeWithin(conversation.purge_at, now)}` : gone;
}

/** An import's result, line by line. */
export function importReportOf({ created = {}, found = {}, skipped, changed }, isTrial) {
    const kinds = (counts) => Object.entries(counts)
        .map(([kind, amount]) => count(amount, kind.replaceAll("_", " "))).join(", ");
    const lines = [`${isTrial ? "Would be made" : "Made"}: ${kinds(created) || "nothing"}.`];
    if (Object.keys(found).length > 0) lines.push(`There already: ${kinds(found)}.`);
    for (const [what, tally] of [["Left out", skipped], ["Changed", changed]]) {
        for (const [reason, amount] of Object.entries(tally?.reasons ?? {})) {
            lines.push(`${what}: ${number.format(amount)} (${reason})`);
        }
    }
    return lines;
}

/** The line below a conversation's title in the list: its team, and the other members. */
export function rowDetailOf({ team, names }) {
    const people = names.length > 0 ? `with ${names.join(", ")}` : "";
    return [team?.name, people].filter(Boolean).join(" · ");
}

/** The start of a text, on one line. */
function beginningOf(text) {
    const line = [...text.slice(0, 400).replaceAll(/\s+/gu, " ").trim()];
    return line.length <= 90 ? line.join("") : `${line.slice(0, 89).join("")}…`;
}

/** "1st", "12th", "23rd". */
function ordinalOf(position) {
    const isTeen = Math.floor(position / 10) % 10 === 1;
    const ending = isTeen ? "th" : { 1: "st", 2: "nd", 3: "rd" }[position % 10] ?? "th";
    return `${position}${ending}`;
}

/** A size in bytes: "1.2 MB". */
export function sizeOf(bytes) {
    if (bytes >= 1e9) return `${number.format(bytes / 1e9)} GB`;
    if (bytes >= 1e6) return `${number.format(bytes / 1e6)} MB`;
    return `${number.format(bytes / 1e3)} kB`;
}

function durationOf(seconds) {
    if (seconds >= 5400) return `${number.format(seconds / 3600)} h`;
    if (seconds >= 90) return `${Math.round(seconds / 60)} min`;
    return `${Math.ceil(seconds)} s`;
}

function count(amount, thing) {
    return `${number.format(amount)} ${thing}${amount === 1 ? "" : "s"}`;
}

function firstCharacter(text) {
    return [...text][0] ?? "";
}
