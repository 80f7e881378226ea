// The state of one message: the server's object, and what only transient events contain (its queue
// position, the progress of prompt processing).

import { GrowingText } from "./growing-text.js";
import { answerOf } from "./thinking.js";

const finalStates = ["complete", "stopped", "failed"];

/** A message of a timeline. */
export class Message {
    /** Starts with a message object of the protocol. */
    constructor(object) {
        this.id = object.id;
        this.role = object.role;
        this.author = object.author ?? null;
        /** The author's name in the system of origin, if the author has no account here. */
        this.authorName = object.author_name ?? null;
        this.createdAt = object.created_at;
        this.growth = new GrowingText(object.text ?? "", object.run ?? null);
        this.state = object.state;
        this.finish = object.finish ?? null;
        this.usage = object.usage ?? null;
        this.error = object.error ?? null;
        this.droppedMessages = object.dropped_messages ?? 0;
        this.summarizedMessages = object.summarized_messages ?? 0;
        /** Its parent; null for a first message. */
        this.parent = object.parent ?? null;
        /** Ids of all its siblings including itself, if there are several. */
        this.siblings = object.siblings ?? [];
        /** Its ratings: `[{user, rating, text?}]`. */
        this.feedback = object.feedback ?? [];
        /** The mentioned members: `[{id, name}]`. */
        this.mentions = object.mentions ?? [];
        /** The queue position; 1 for the next run to start, null if unknown. */
        this.position = null;
        /** Seconds until it starts; null if unknown. */
        this.eta = null;
        /** The model that it waits for; null if that is ready. */
        this.model = null;
        /** `{done, total}` tokens of the prompt while it is processed. */
        this.progress = null;
    }

    /** The text so far. */
    get text() {
        return this.growth.text;
    }

    /** The text without the thinking part of a reasoning model. */
    get answer() {
        return answerOf(this);
    }

    /** Whether the text is final. */
    get isFinal() {
        return finalStates.includes(this.state);
    }

    /** Whether its run is queued or running. */
    get isPending() {
        return !this.isFinal;
    }

    /** Whether it ended early, with a text that can be continued. */
    get isCutShort() {
        const ended = this.finish === "length" || this.state === "stopped" || this.state === "failed";
        return ended && this.text !== "";
    }

    /** A user's rating: 1, -1, or null. */
    ratingOf(user) {
        return this.feedback.find((opinion) => opinion.user.id === user)?.rating ?? null;
    }

    /** `message.feedback`. */
    rate({ user, rating, text }) {
        this.feedback = this.feedback.filter((opinion) => opinion.user.id !== user.id);
        if (rating) this.feedback.push({ user, rating, text });
    }

    /** `message.started`: the engine processes the prompt. */
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

    /** `message.restarted`: another run continues from byte `at`. Returns whether that fitted. */
    restart({ run, at = 0 }) {
        this.state = at > 0 ? "streaming" : "queued";
        this.progress = null;
        return this.growth.continueAt(run, at);
    }

    /** `message.delta`. Returns whether it fitted. */
    grow(delta) {
        if (this.isFinal) return true;
        this.#isGrowing();
        return this.growth.append(delta);
    }

    /** An unfinished text of a watch reply. Returns whether it fitted. */
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
     * @returns whether the text has the stored length.
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
