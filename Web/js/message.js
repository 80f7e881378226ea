// One message as the page knows it: what the server said of it, plus what only fleeting events tell
// (its place in the queue, how much of the prompt has been read).

import { GrowingText } from "./growing-text.js";

const finalStates = ["complete", "stopped", "failed"];

/** A message of a timeline. */
export class Message {
    /** Begins with a message object of the protocol. */
    constructor(object) {
        this.id = object.id;
        this.role = object.role;
        this.author = object.author ?? null;
        /** What whoever has no account here was called where they wrote it. */
        this.authorName = object.author_name ?? null;
        this.createdAt = object.created_at;
        this.growth = new GrowingText(object.text ?? "", object.run ?? null);
        this.state = object.state;
        this.finish = object.finish ?? null;
        this.usage = object.usage ?? null;
        this.error = object.error ?? null;
        this.droppedMessages = object.dropped_messages ?? 0;
        this.summarizedMessages = object.summarized_messages ?? 0;
        /** The message that it follows; null for a first one. */
        this.parent = object.parent ?? null;
        /** Ids of all messages in its place, where there are several. */
        this.siblings = object.siblings ?? [];
        /** What members think of it: `[{user, rating, text?}]`. */
        this.feedback = object.feedback ?? [];
        /** The members whom it names: `[{id, name}]`. */
        this.mentions = object.mentions ?? [];
        /** 1 for the next answer to start; null while unknown. */
        this.position = null;
        /** Seconds until it starts; null while unknown. */
        this.eta = null;
        /** The model that is waited for; null where it answers already. */
        this.model = null;
        /** `{done, total}` tokens of the prompt while it is read. */
        this.progress = null;
    }

    /** The text so far. */
    get text() {
        return this.growth.text;
    }

    /** Whether the text will not change any more. */
    get isFinal() {
        return finalStates.includes(this.state);
    }

    /** Whether an engine writes it, or will. */
    get isPending() {
        return !this.isFinal;
    }

    /** Whether it ended before it was done, with a text that it could go on from. */
    get isCutShort() {
        const ended = this.finish === "length" || this.state === "stopped" || this.state === "failed";
        return ended && this.text !== "";
    }

    /** What a user thinks of it: 1, -1, or null. */
    ratingOf(user) {
        return this.feedback.find((opinion) => opinion.user.id === user)?.rating ?? null;
    }

    /** `message.feedback`. */
    rate({ user, rating, text }) {
        this.feedback = this.feedback.filter((opinion) => opinion.user.id !== user.id);
        if (rating) this.feedback.push({ user, rating, text });
    }

    /** `message.started`: an engine has the prompt. */
    start({
        run, dropped_messages: droppedMessages, summarized_messages: summarizedMessages,
    }) {
        if (this.growth.run !== null && this.growth.run !== run) this.growth.replace("", run);
        this.growth.run = run;
        this.state = "streaming";
        this.position = null;
        this.model = null;
        this.droppedMessages = droppedMessages ?? 0;
        this.summarizedMessages = summarizedMessages ?? 0;
    }

    /** `message.restarted`: another run goes on from byte `at`. Returns whether that fitted. */
    restart({ run, at = 0 }) {
        this.state = at > 0 ? "streaming" : "queued";
        this.progress = null;
        return this.growth.goOn(run, at);
    }

    /** `message.delta`. Returns whether it fitted. */
    grow(delta) {
        if (this.isFinal) return true;
        this.#isGrowing();
        return this.growth.append(delta);
    }

    /** A growing part of a watch reply. Returns whether it fitted. */
    adopt(part) {
        if (this.isFinal) return true;
        this.#isGrowing();
        return this.growth.adopt(part);
    }

    #isGrowing() {
        this.state = "streaming";
        this.position = null;
        this.progress = null;
    }

    /**
     * `message.completed`, `.stopped` or `.failed`.
     * @returns whether the text has the length that the server stored.
     */
    end(state, event) {
        if (event.text !== undefined) {
            this.growth.replace(event.text, event.run);
        } else if (this.growth.run !== event.run && event.to > 0) {
            return false;
        } else if (this.growth.byteCount > event.to && !this.growth.cut(event.to)) {
            return false;
        }
        if (this.growth.byteCount !== event.to) return false;
        this.state = state;
        this.finish = event.finish ?? null;
        this.usage = event.usage ?? null;
        this.error = event.error ?? null;
        this.position = null;
        this.progress = null;
        return true;
    }
}
