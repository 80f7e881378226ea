// Keeps the open conversation's timeline up to date: watches it, fills gaps, loads older pages,
// verifies final texts. timeline.js applies the events.

import { sha256 } from "./checksum.js";
import { text } from "./language.js";
import { delayBefore } from "./reconnect.js";
import { Timeline } from "./timeline.js";

/** Timelines of previously opened conversations, kept so that going back is immediate. */
const keptTimelinesMax = 8;
const olderPageCount = 50;
/** After this long without a gap, the next one is filled at once. */
const steadyMilliseconds = 10_000;

/**
 * The watcher. Dispatches "changed" (detail: an `Outcome`) for the open conversation, "opened" when
 * another one is opened, "caught-up" after each watch, and "gone" (detail: `{conversation,
 * sentence}`) when the open one is no longer accessible.
 */
export class Watcher extends EventTarget {
    /** The open conversation's timeline, or null. */
    timeline = null;
    /** Whether the timeline is up to date. */
    isLive = false;

    #connection;
    #kept = new Map();
    /** The watch in flight, so that an older one's reply is ignored. */
    #watch = null;
    #resyncCount = 0;
    #resyncedAt = 0;
    #resyncTimer = null;
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

    /** Subscribes from the timeline's last event. Called on opening and after each reconnect. */
    async watch() {
        this.#cancelResync();
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

    /** Changes the timeline: `change(timeline)` returns an `Outcome`. */
    update(change) {
        this.#report(change(this.timeline));
    }

    /** Drops all timelines: the server's database was restored. */
    forgetEverything() {
        this.#kept.clear();
        this.timeline?.forget();
    }

    /** Drops one conversation, and leaves it if it is open. */
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
        this.#cancelResync();
        this.#watch = null;
        this.#resyncCount = 0;
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

    /** The open conversation left the list: it was archived, or this user is no longer a member. */
    async #findOutWhy(timeline) {
        const { id } = timeline;
        try {
            const { conversation } = await this.#connection.request(
                "conversation.get", { conversation: id });
            if (timeline === this.timeline) this.#report(timeline.summarize(conversation));
        } catch (error) {
            if (error.code !== "not_found" || timeline !== this.timeline) return;
            this.remove(id, text("conversations.gone.left"));
        }
    }

    #report(outcome) {
        for (const check of outcome.checks) this.#verify(check);
        if (outcome.ended) {
            this.remove(this.timeline.id, text("conversations.gone.deleted"));
            return;
        }
        this.dispatchEvent(new CustomEvent("changed", { detail: outcome }));
        if (outcome.resync === "snapshot") this.timeline.forget();
        if (outcome.resync === "none") return;
        this.#scheduleResync(0);
    }

    /**
     * The first resynchronization is immediate; if that doesn't help, the next ones use backoff.
     */
    #scheduleResync(earliestMilliseconds) {
        if (this.#resyncTimer !== null) return;
        if (Date.now() - this.#resyncedAt > steadyMilliseconds) this.#resyncCount = 0;
        this.#resyncedAt = Date.now();
        const delay = this.#resyncCount === 0 ? 0 : delayBefore(this.#resyncCount);
        this.#resyncCount += 1;
        this.#resyncTimer = setTimeout(
            () => this.watch(), Math.max(earliestMilliseconds, delay));
    }

    #cancelResync() {
        clearTimeout(this.#resyncTimer);
        this.#resyncTimer = null;
    }

    async #verify({ message: id, sha256: stored }) {
        const timeline = this.timeline;
        const digest = await sha256(timeline.get(id)?.text ?? "");
        if (timeline !== this.timeline) return;
        if (digest === null || digest === stored) return;
        timeline.forget();
        this.#scheduleResync(0);
    }

    #refused(error) {
        if (error.code === "not_found" || error.code === "forbidden") {
            this.remove(this.timeline.id, text("conversations.gone"));
        } else if (this.#connection.state === "live") {
            this.#scheduleResync((error.retryAfter ?? 1) * 1000);
        }
    }
}
