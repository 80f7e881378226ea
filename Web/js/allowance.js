// What is left of the tokens that this user, and the open conversation's team, may use: asked for, and
// told with the reply to each question. Nothing of it where there is no limit.

import { timeWithin } from "./wording.js";

const number = new Intl.NumberFormat();
/** A part of the limit that is worth a warning. */
const lowPart = 0.1;
/** The longest that a timer may wait. */
const timerMaxMilliseconds = 2 ** 31 - 1;
/** Of so many conversations the team's limit is remembered. */
const toldMax = 100;

/** The limits. They dispatch "changed". */
export class Allowances extends EventTarget {
    #connection;
    /** This user's own, as `{holder, period, limit, used, resets_at}`. */
    #own = [];
    /** Those of teams, by conversation, with the answer that they were told for. */
    #teams = new Map();
    #timer = null;

    constructor(connection) {
        super();
        this.#connection = connection;
        connection.addEventListener("welcome", () => this.refresh());
        connection.addEventListener("event", ({ detail }) => this.#receive(detail));
    }

    /** Takes what the reply to a question says. */
    take(conversation, { answer, allowance }) {
        this.#teams.delete(conversation);
        if (allowance?.holder === "team") {
            this.#teams.set(conversation, { answer: answer.id, allowance: { ...allowance } });
            if (this.#teams.size > toldMax) this.#teams.delete(this.#teams.keys().next().value);
        } else if (allowance && this.#own.length === 0) {
            this.refresh();
        }
        this.#changed();
    }

    /** A question was refused: where that was for want of tokens, the limits are other than known. */
    refused({ code }) {
        if (code === "budget_exceeded") this.refresh();
    }

    /** The limit that comes nearest in a conversation at `now`; null where there is none. */
    nearest(conversation, now = Date.now()) {
        const told = this.#teams.get(conversation)?.allowance;
        const limits = [...this.#own, ...told ? [told] : []]
            .filter(({ resets_at: end }) => Date.parse(end) > now);
        return limits.sort((one, other) => leftOf(one) - leftOf(other))[0] ?? null;
    }

    #receive(event) {
        const ends = ["message.completed", "message.stopped", "message.failed"];
        if (!ends.includes(event.ev)) return;
        const told = this.#teams.get(event.conversation);
        if (told?.answer === event.message) {
            told.allowance.used += event.usage?.charged_tokens ?? 0;
            told.answer = null;
            this.#changed();
        }
        if (this.#own.length > 0) this.refresh();
    }

    /** Asks for this user's own anew. */
    async refresh() {
        try {
            const usage = await this.#connection.request("usage.get");
            this.#own = ["day", "month"].filter((period) => typeof usage[period].limit === "number")
                .map((period) => ({ holder: "user", period, ...usage[period] }));
        } catch {
            // What is known stays until it is asked for again.
        }
        this.#changed();
    }

    #changed() {
        this.#awaitEnd();
        this.dispatchEvent(new CustomEvent("changed"));
    }

    /** When the first period is over there is more. */
    #awaitEnd() {
        clearTimeout(this.#timer);
        const told = [...this.#teams.values()].map(({ allowance }) => allowance);
        const waits = [...this.#own, ...told]
            .map(({ resets_at: end }) => Date.parse(end) - Date.now()).filter((wait) => wait > 0);
        if (waits.length === 0) return;
        const wait = Math.min(...waits, timerMaxMilliseconds - 1_000);
        this.#timer = setTimeout(() => this.refresh(), wait + 1_000);
    }
}

/** What is not used yet of a limit. What is reserved meanwhile mostly comes back. */
function leftOf({ limit, used }) {
    return Math.max(0, limit - used);
}

/** Whether so little is left that one should be told. */
export function isLow(allowance) {
    return leftOf(allowance) < allowance.limit * lowPart;
}

/** "38,800 of 50,000 tokens left today", and where that is little, when there are more. */
export function allowanceOf(allowance, now = new Date()) {
    const { holder, period, limit, resets_at: end } = allowance;
    const span = period === "day" ? "today" : "this month";
    const whose = holder === "team" ? " for the team" : "";
    const left = leftOf(allowance);
    const figures = left === 0
        ? `All ${number.format(limit)} tokens are used${whose} ${span}`
        : `${number.format(left)} of ${number.format(limit)} tokens left${whose} ${span}`;
    return isLow(allowance) ? `${figures}. More ${momentOf(end, now)}.` : figures;
}

/** Why a question was refused; of a budget, when it is possible again: `possibleAt`, null for never. */
export function refusalOf({ code, message, possibleAt }, now = new Date()) {
    if (code !== "budget_exceeded") return message;
    if (!possibleAt) {
        return "This answer may take more tokens than the whole limit allows. A smaller “longest "
            + "answer” in the settings, or a new conversation, may fit.";
    }
    return `Too few tokens are left for this answer. You can ask again ${momentOf(possibleAt, now)}.`;
}

/** A moment within a sentence, with its clock time where that is near. */
function momentOf(time, now) {
    const words = timeWithin(time, now);
    return /^to(?:day|morrow) /.test(words) ? words : `on ${words}`;
}
