// The remaining tokens of this user, and of the open conversation's team: requested, and updated by
// the reply to each question. Empty without a limit.

import { text } from "./language.js";
import { momentOf } from "./wording.js";

/** The fraction below which a limit is low. */
const lowPart = 0.1;
/** Maximum delay of a timer. */
const timerMaxMilliseconds = 2 ** 31 - 1;
/** The number of conversations whose team limit is kept. */
const teamsMax = 100;

/** The limits. Dispatches "changed". */
export class Allowances extends EventTarget {
    #connection;
    /** The user's own limits, as `{holder, period, limit, used, resets_at}`. */
    #own = [];
    /** The teams' limits by conversation, with the answer whose reply contained them. */
    #teams = new Map();
    #timer = null;

    constructor(connection) {
        super();
        this.#connection = connection;
        connection.addEventListener("welcome", () => this.refresh());
        connection.addEventListener("event", ({ detail }) => this.#receive(detail));
    }

    /** Applies the reply to a question. */
    take(conversation, { answer, allowance }) {
        this.#teams.delete(conversation);
        if (allowance?.holder === "team") {
            this.#teams.set(conversation, { answer: answer.id, allowance: { ...allowance } });
            if (this.#teams.size > teamsMax) this.#teams.delete(this.#teams.keys().next().value);
        } else if (allowance && this.#own.length === 0) {
            this.refresh();
        }
        this.#changed();
    }

    /**
     * Handles a refused question: if the reason was a token limit, the known figures are outdated.
     */
    refused({ code }) {
        if (code === "budget_exceeded") this.refresh();
    }

    /** The nearest limit of a conversation at `now`; null if there is none. */
    nearest(conversation, now = Date.now()) {
        const known = this.#teams.get(conversation)?.allowance;
        const limits = [...this.#own, ...known ? [known] : []]
            .filter(({ resets_at: end }) => Date.parse(end) > now);
        return limits.sort((one, other) => leftOf(one) - leftOf(other))[0] ?? null;
    }

    #receive(event) {
        const ends = ["message.completed", "message.stopped", "message.failed"];
        if (!ends.includes(event.ev)) return;
        const known = this.#teams.get(event.conversation);
        if (known?.answer === event.message) {
            known.allowance.used += event.usage?.charged_tokens ?? 0;
            known.answer = null;
            this.#changed();
        }
        if (this.#own.length > 0) this.refresh();
    }

    /** Requests the user's own limits again. */
    async refresh() {
        try {
            const usage = await this.#connection.request("usage.get");
            this.#own = ["day", "month"].filter((period) => typeof usage[period].limit === "number")
                .map((period) => ({ holder: "user", period, ...usage[period] }));
        } catch {
            // The known figures stay until the next request.
        }
        this.#changed();
    }

    #changed() {
        this.#awaitEnd();
        this.dispatchEvent(new CustomEvent("changed"));
    }

    /** Refreshes when the first period ends. */
    #awaitEnd() {
        clearTimeout(this.#timer);
        const known = [...this.#teams.values()].map(({ allowance }) => allowance);
        const waits = [...this.#own, ...known]
            .map(({ resets_at: end }) => Date.parse(end) - Date.now()).filter((wait) => wait > 0);
        if (waits.length === 0) return;
        const wait = Math.min(...waits, timerMaxMilliseconds - 1_000);
        this.#timer = setTimeout(() => this.refresh(), wait + 1_000);
    }
}

/** The unused part of a limit. Reservations are ignored, since most of them are returned. */
function leftOf({ limit, used }) {
    return Math.max(0, limit - used);
}

/** Whether the rest is so low that the user should be warned. */
export function isLow(allowance) {
    return leftOf(allowance) < allowance.limit * lowPart;
}

/** "38,800 of 50,000 tokens left today", and if that is low, the reset time. */
export function allowanceOf(allowance, now = new Date()) {
    const { holder, period, limit, resets_at: end } = allowance;
    const left = leftOf(allowance);
    const state = left === 0 ? "used" : "left";
    const figures = text(`allowance.${state}.${holder}.${period}`, { left, limit });
    return isLow(allowance)
        ? text("allowance.more", { figures, time: momentOf(end, now) }) : figures;
}

/**
 * Why a question was refused; for a token limit with the time when it is possible again:
 * `possibleAt`, null for never.
 */
export function refusalOf({ code, message, possibleAt }, now = new Date()) {
    if (code !== "budget_exceeded") return message;
    if (!possibleAt) return text("allowance.refused");
    return text("allowance.refused.now", { time: momentOf(possibleAt, now) });
}
