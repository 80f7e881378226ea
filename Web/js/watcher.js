// Keeps the open conversation's timeline in step with the server: watches it, heals gaps, loads
// older pages, verifies final texts. The rules of what an event does are timeline.js's.

import { sha256 } from "./checksum.js";
import { delayBefore } from "./reconnect.js";
import { Timeline } from "./timeline.js";

/** Timelines of conversations that were open before, kept so that going back is immediate. */
const keptTimelinesMax = 8;
const olderPageCount = 50;
/** Without a gap for this long, the next one is healed at once. */
const steadyMilliseconds = 10_000;

/**
 * The watcher. It dispatches "changed" (detail: an `Outcome`) for the open conversation, "opened"
 * when another one is, "caught-up" after each watch, and "gone" (detail: `{conversation, sentence}`) when the open
 * one can't be seen any more.
 */
export class Watcher extends EventTarget {
    /** The open conversation's timeline, or null. */
    timeline = null;
    /** Whether what is shown is in step with the server. */
    isLive = false;

    #connection;
    #kept = new Map();
    /** The watch in flight, so that an older one's reply is not taken. */
    #watch = null;
    #healings = 0;
    #healedAt = 0;
    #healTimer = null;
    #olderPage = null;

    constructor(connection) {
        super();
        this.#connection = connection;
        connection.addEventListener("event", ({ detail }) => this.#receive(detail));
        connection.addEventListener("state", () => {
            if (connection.state !== "live") this.isLive = false;
        });
    }

    /** Shows a conversation; null for none. */
    open(id) {
        if (this.timeline?.id === id) return;
        if (this.timeline) this.#leave();
        this.timeline = id === null ? null : this.#recall(id);
        this.isLive = false;
        this.dispatchEvent(new CustomEvent("opened"));
        this.watch();
    }

    /** Subscribes, from where the timeline is. Called on opening and after each reconnect. */
    async watch() {
        this.#cancelHealing();
        const timeline = this.timeline;
        if (!timeline || this.#connection.state !== "live") return;
        const watch = {};
        this.#watch = watch;
        try {
            const reply = await this.#connection.request(
                "conversation.watch", timeline.watchRequest());
            if (this.#watch !== watch) return;
            this.#watch = null;
            this.isLive = true;
            this.#report(timeline.adopt(reply));
            this.dispatchEvent(new CustomEvent("caught-up"));
        } catch (error) {
            if (this.#watch !== watch) return;
            this.#watch = null;
            this.#refused(error);
        }
    }

    /** Changes what is shown: `change(timeline)` returns an `Outcome`. */
    update(change) {
        this.#report(change(this.timeline));
    }

    /** Forgets what is known of all conversations: the server's database was restored. */
    forgetEverything() {
        this.#kept.clear();
        this.timeline?.forget();
    }

    /** Forgets one conversation, and leaves it if it is open. */
    remove(id, sentence) {
        this.#kept.delete(id);
        if (this.timeline?.id !== id) return;
        this.timeline = null;
        const detail = { conversation: id, sentence };
        this.dispatchEvent(new CustomEvent("gone", { detail }));
    }

    /** Loads the page before the oldest message. Returns whether there was one. */
    loadOlder() {
        this.#olderPage ??= this.#loadOlder().finally(() => {
            this.#olderPage = null;
        });
        return this.#olderPage;
    }

    async #loadOlder() {
        const timeline = this.timeline;
        const [oldest] = timeline?.messages.keys() ?? [];
        if (!oldest || !timeline.hasOlder || !this.isLive) return false;
        const page = await this.#connection.request("message.list", {
            conversation: timeline.id,
            before: oldest,
            limit: olderPageCount,
        });
        const [stillOldest] = timeline.messages.keys();
        if (timeline !== this.timeline || stillOldest !== oldest) return false;
        timeline.prepend(page.messages);
        return page.messages.length > 0;
    }

    #recall(id) {
        const timeline = this.#kept.get(id) ?? new Timeline(id);
        this.#kept.delete(id);
        this.#kept.set(id, timeline);
        if (this.#kept.size > keptTimelinesMax) {
            const [longestUnused] = this.#kept.keys();
            this.#kept.delete(longestUnused);
        }
        return timeline;
    }

    #leave() {
        this.#cancelHealing();
        this.#watch = null;
        this.#healings = 0;
        const conversation = this.timeline.id;
        this.#connection.request("conversation.unwatch", { conversation }).catch(() => {});
    }

    #receive(event) {
        const timeline = this.timeline;
        if (event.ev === "conversation.unlisted") this.#kept.delete(event.conversation);
        if (!timeline || event.conversation !== timeline.id) return;
        if (event.ev === "lagged") {
            this.watch();
        } else if (event.ev === "conversation.unlisted") {
            this.#findOutWhy(timeline);
        } else if (event.ev === "conversation.listed") {
            this.#report(timeline.summarize(event.summary));
        } else if (this.isLive && !this.#watch) {
            this.#report(timeline.apply(event));
        }
    }

    /** The open conversation left the list: it was archived, or this user is not in it any more. */
    async #findOutWhy(timeline) {
        const { id } = timeline;
        try {
            const { conversation } = await this.#connection.request(
                "conversation.get", { conversation: id });
            if (timeline === this.timeline) this.#report(timeline.summarize(conversation));
        } catch (error) {
            if (error.code !== "not_found" || timeline !== this.timeline) return;
            this.remove(id, "You are not in this conversation any more.");
        }
    }

    #report(outcome) {
        for (const check of outcome.checks) this.#verify(check);
        if (outcome.ended) {
            this.remove(this.timeline.id, "This conversation was deleted.");
            return;
        }
        this.dispatchEvent(new CustomEvent("changed", { detail: outcome }));
        if (outcome.healing === "snapshot") this.timeline.forget();
        if (outcome.healing === "none") return;
        this.#scheduleHealing(0);
    }

    /** The first healing is as soon as it may; if that doesn't help, the next take their time. */
    #scheduleHealing(earliestMilliseconds) {
        if (this.#healTimer !== null) return;
        if (Date.now() - this.#healedAt > steadyMilliseconds) this.#healings = 0;
        this.#healedAt = Date.now();
        const delay = this.#healings === 0 ? 0 : delayBefore(this.#healings);
        this.#healings += 1;
        this.#healTimer = setTimeout(
            () => this.watch(), Math.max(earliestMilliseconds, delay));
    }

    #cancelHealing() {
        clearTimeout(this.#healTimer);
        this.#healTimer = null;
    }

    async #verify({ message: id, sha256: stored }) {
        const timeline = this.timeline;
        const digest = await sha256(timeline.get(id)?.text ?? "");
        if (timeline !== this.timeline) return;
        if (digest === null || digest === stored) return;
        timeline.forget();
        this.#scheduleHealing(0);
    }

    #refused(error) {
        if (error.code === "not_found" || error.code === "forbidden") {
            this.remove(this.timeline.id, "This conversation is not there any more.");
        } else if (this.#connection.state === "live") {
            this.#scheduleHealing((error.retryAfter ?? 1) * 1000);
        }
    }
}
