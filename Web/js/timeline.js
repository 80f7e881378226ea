// What the page knows of one conversation: its messages in order and the number of the last durable
// event. Events go in, what has to be done comes out; no socket, no document, no clock. The rules
// are docs/protocol.md's: events are taken in the order of their numbers, and a gap in the numbers
// or in a text is never bridged but healed, by watching again.

import { Message } from "./message.js";

/** What one event or reply did to a timeline. */
export class Outcome {
    /** Ids of messages that look different now. */
    changed = new Set();
    /** Whether messages came or went. */
    reordered = false;
    /** Whether title, settings, members or rights changed. */
    conversationChanged = false;
    /** "none", "watch" (from where we are) or "snapshot" (everything anew). */
    healing = "none";
    /** Final texts to verify: `{message, sha256}`. */
    checks = [];
    /** Whether the conversation is gone. */
    ended = false;
}

const endings = {
    "message.completed": "complete",
    "message.stopped": "stopped",
    "message.failed": "failed",
};

/** The messages of one conversation. */
export class Timeline {
    /** The number of the last durable event; null before the first watch. */
    n = null;
    /** The conversation object; null before the first watch. */
    conversation = null;
    /** Whether there are older messages than the first one here. */
    hasOlder = false;
    /** Messages by id, oldest first. */
    messages = new Map();

    /** Which conversation. */
    constructor(id) {
        this.id = id;
    }

    /** What `conversation.watch` should be asked for. */
    watchRequest() {
        if (this.n === null) return { conversation: this.id };
        const have = {};
        for (const message of this.messages.values()) {
            if (message.isPending && message.growth.byteCount > 0) {
                have[message.id] = message.growth.byteCount;
            }
        }
        return { conversation: this.id, after: this.n, have };
    }

    /** Forgets the number, as after another epoch began: the next watch asks for everything. */
    forget() {
        this.n = null;
    }

    /** The answer that grows now, or else the first that waits; null where there is none. */
    get pendingAnswer() {
        let waiting = null;
        for (const message of this.messages.values()) {
            if (message.state === "streaming") return message;
            if (message.isPending) waiting ??= message;
        }
        return waiting;
    }

    /** Takes the reply of `conversation.watch`. */
    adopt(reply) {
        const outcome = new Outcome();
        if (reply.snapshot) this.#adoptSnapshot(reply, outcome);
        for (const event of reply.events ?? []) this.#take(event, outcome);
        if (this.n !== reply.n) {
            // The last events may be of kinds that this page does not know.
            this.n = Math.max(this.n ?? 0, reply.n);
        }
        for (const part of reply.growing ?? []) this.#grow(part, outcome);
        return outcome;
    }

    /** Takes an event of this conversation. */
    apply(event) {
        const outcome = new Outcome();
        this.#take(event, outcome);
        return outcome;
    }

    /** Puts a page of older messages before the others. */
    prepend(messages, hasOlder) {
        const older = messages.filter((object) => !this.messages.has(object.id));
        this.messages = new Map([
            ...older.map((object) => [object.id, new Message(object)]),
            ...this.messages,
        ]);
        this.hasOlder = hasOlder;
    }

    /** Takes what the list says of this conversation: its title may come from its first message. */
    summarize(summary) {
        const outcome = new Outcome();
        // Of what events tell too, an event that is newer than the summary knows better.
        if (this.conversation && (summary.n ?? 0) >= (this.n ?? 0)) {
            Object.assign(this.conversation, summary);
        }
        outcome.conversationChanged = true;
        return outcome;
    }

    #adoptSnapshot({ n, snapshot }, outcome) {
        const known = this.messages;
        this.messages = new Map();
        for (const object of snapshot.messages) {
            const message = new Message(object);
            const before = known.get(object.id);
            // The part of a growing text that the server was told we have is not sent again.
            const keepsText = message.isPending && before?.growth.run === message.growth.run;
            if (keepsText && before.growth.byteCount > message.growth.byteCount) {
                message.growth = before.growth;
            }
            this.messages.set(object.id, message);
        }
        this.n = n;
        this.conversation = snapshot.conversation;
        this.hasOlder = snapshot.more;
        outcome.reordered = true;
        outcome.conversationChanged = true;
    }

    #take(event, outcome) {
        if (event.n === undefined) {
            this.#takeFleeting(event, outcome);
            return;
        }
        if (this.n === null || event.n <= this.n) return;
        if (event.n > this.n + 1) {
            outcome.healing = "watch";
            return;
        }
        this.n = event.n;
        this.#takeDurable(event, outcome);
    }

    #takeDurable(event, outcome) {
        switch (event.ev) {
        case "message.created":
            if (this.messages.has(event.message.id)) return;
            this.messages.set(event.message.id, new Message(event.message));
            outcome.reordered = true;
            return;
        case "message.completed":
        case "message.stopped":
        case "message.failed":
            this.#end(event, outcome);
            return;
        case "conversation.updated":
            Object.assign(this.conversation ?? {}, event.changed);
            outcome.conversationChanged = true;
            return;
        case "member.changed":
            this.#changeMember(event);
            outcome.conversationChanged = true;
            return;
        case "conversation.deleted":
            outcome.ended = true;
        }
    }

    #takeFleeting(event, outcome) {
        if (event.ev === "message.delta") {
            this.#grow(event, outcome);
            return;
        }
        const message = this.messages.get(event.message);
        if (!message || message.isFinal) return;
        switch (event.ev) {
        case "message.queued":
            message.position = event.position;
            message.eta = event.eta ?? null;
            message.model = event.model ?? null;
            break;
        case "message.started":
            message.start(event);
            break;
        case "message.progress":
            // Once there is text, this only says that the next token is slow.
            if (message.text !== "") return;
            message.progress = { done: event.done, total: event.total };
            break;
        case "message.restarted":
            message.restart(event);
            break;
        default:
            return;
        }
        outcome.changed.add(message.id);
    }

    #grow(delta, outcome) {
        const message = this.messages.get(delta.message);
        if (!message) return;
        if (!message.grow(delta)) {
            // A text of another run is no use as a beginning: nothing of it may be named in `have`.
            if (delta.run !== message.growth.run) message.growth.replace("", delta.run);
            outcome.healing = "watch";
        }
        outcome.changed.add(message.id);
    }

    #end(event, outcome) {
        const message = this.messages.get(event.message);
        if (!message) return;
        if (message.end(endings[event.ev], event)) {
            outcome.checks.push({ message: message.id, sha256: event.sha256 });
        } else {
            outcome.healing = "snapshot";
        }
        outcome.changed.add(message.id);
    }

    #changeMember({ user, role }) {
        if (!this.conversation) return;
        const others = this.conversation.members.filter((member) => member.user.id !== user.id);
        const known = this.conversation.members.find((member) => member.user.id === user.id);
        if (!role) {
            this.conversation.members = others;
        } else if (known) {
            known.role = role;
        } else {
            this.conversation.members = [...others, { user, role }];
        }
    }
}
