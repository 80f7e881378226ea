// The state of one conversation: its messages, the visible branch, and the number of the last durable
// event. Events go in, required actions come out; no socket, no DOM, no clock. The rules are in
// docs/reference/protocol.md: events are applied in the order of their numbers, and a gap in numbers or
// in a text is filled by watching again.

import { MessageTree } from "./message-tree.js";
import { Message } from "./message.js";

/** The effect of one event or reply on a timeline. */
export class Outcome {
    /** Ids of messages to redraw. */
    changed = new Set();
    /** Whether messages were added or removed. */
    reordered = false;
    /** Whether title, settings, members or rights changed. */
    conversationChanged = false;
    /** "none", "watch" (from the last event) or "snapshot" (everything). */
    resync = "none";
    /** Final texts to verify: `{message, sha256}`. */
    checks = [];
    /** Whether the conversation was deleted. */
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
    /** The messages of the visible branch, by id, oldest first. */
    messages = new Map();
    /** A message of the selected branch; null if the newest branch is shown. */
    selected = null;

    /** All known messages by id, including those of other branches. */
    #known = new Map();
    #tree = new MessageTree();
    /** Deleted messages: a page that was read earlier may still contain them. */
    #deleted = new Set();

    /** The timeline of the conversation with that id. */
    constructor(id) {
        this.id = id;
    }

    /** The fields of the `conversation.watch` request. */
    watchRequest() {
        if (this.n === null) return { conversation: this.id, ...this.#leafField };
        const have = {};
        for (const message of this.#known.values()) {
            if (message.isPending && message.growth.byteCount > 0) {
                have[message.id] = message.growth.byteCount;
            }
        }
        return { conversation: this.id, after: this.n, have, ...this.#leafField };
    }

    /** Drops the event number, for example in a new epoch: the next watch requests everything. */
    forget() {
        this.n = null;
    }

    /** The running answer, or else the first queued one; null if there is none. */
    get pendingAnswer() {
        let waiting = null;
        for (const message of this.messages.values()) {
            if (message.state === "streaming") return message;
            if (message.isPending) waiting ??= message;
        }
        return waiting;
    }

    /** Applies the reply of `conversation.watch`. */
    adopt(reply) {
        const outcome = new Outcome();
        if (reply.snapshot) this.#adoptSnapshot(reply, outcome);
        for (const event of reply.events ?? []) this.#take(event, outcome);
        if (this.n !== reply.n) {
            // The last events may be of unknown kinds.
            this.n = Math.max(this.n ?? 0, reply.n);
        }
        for (const part of reply.growing ?? []) this.#adoptPart(part, outcome);
        return outcome;
    }

    /** Applies an event of this conversation. */
    apply(event) {
        const outcome = new Outcome();
        this.#take(event, outcome);
        return outcome;
    }

    /** Whether nobody has used it, so that it can serve as a new conversation of `team`. */
    isUnusedIn(team) {
        const { conversation } = this;
        return this.n !== null && this.messages.size === 0 && conversation?.members.length === 1
            && conversation.team === team && conversation.expires_at === undefined;
    }

    /** Whether there are messages older than the first visible one. */
    get hasOlder() {
        const [first] = this.messages.values();
        return Boolean(first) && first.parent !== null;
    }

    /** The last visible message; null if there is none. */
    get leaf() {
        return [...this.messages.keys()].at(-1) ?? null;
    }

    /** Whether a message is known, on any branch. */
    knows(id) {
        return this.#known.has(id);
    }

    /** A known message, on any branch. */
    get(id) {
        return this.#known.get(id);
    }

    /** Ids of all siblings of a message including itself, oldest first. */
    siblingsOf(id) {
        return this.#tree.siblingsOf(id);
    }

    /** Prepends a page of older messages. */
    prepend(messages) {
        const outcome = new Outcome();
        for (const object of messages) this.#learn(object);
        this.#show(outcome);
        return outcome;
    }

    /** Shows the branch of which a page of messages is the end. */
    showBranch(messages) {
        const outcome = new Outcome();
        for (const object of messages) this.#learn(object);
        this.selected = messages.at(-1)?.id ?? this.selected;
        this.#show(outcome);
        return outcome;
    }

    /** Shows the branch through a known message; for null the newest one. */
    select(id) {
        const outcome = new Outcome();
        this.selected = id === null ? null : this.#tree.leafThrough(id);
        this.#show(outcome);
        return outcome;
    }

    /** A snapshot should contain the visible branch. */
    get #leafField() {
        return this.leaf === null ? {} : { leaf: this.leaf };
    }

    /** Recomputes the visible branch. */
    #show(outcome) {
        const branch = this.#tree.shownBranch(this.selected);
        // The branch to show is unknown: a deletion revealed it.
        if (branch.length > 0 && !this.#known.has(branch.at(-1))) {
            outcome.resync = "snapshot";
            return;
        }
        const missing = branch.findLastIndex((id) => !this.#known.has(id));
        const shown = branch.slice(missing + 1);
        const before = [...this.messages.keys()];
        if (shown.length === before.length && shown.every((id, at) => id === before[at])) return;
        this.messages = new Map(shown.map((id) => [id, this.#known.get(id)]));
        outcome.reordered = true;
    }

    /** Adds a loaded message. */
    #learn(object) {
        if (this.#known.has(object.id) || this.#deleted.has(object.id)) return;
        const siblings = (object.siblings ?? []).filter((id) => !this.#deleted.has(id));
        this.#known.set(object.id, new Message(object));
        this.#tree.learn(object.id, object.parent ?? null, siblings);
        this.#noteSiblings(object.parent ?? null);
    }

    /** Updates the number of siblings. */
    #noteSiblings(parent, outcome = null) {
        const siblings = this.#tree.childrenOf(parent);
        for (const id of siblings) {
            const message = this.#known.get(id);
            if (!message) continue;
            message.siblings = siblings.length > 1 ? siblings : [];
            outcome?.changed.add(id);
        }
    }

    /** Applies the list's row of this conversation: its title may come from its first message. */
    summarize(summary) {
        const outcome = new Outcome();
        // For fields that events contain, too, the newer of event and row counts.
        if (this.conversation && (summary.n ?? 0) >= (this.n ?? 0)) {
            Object.assign(this.conversation, summary);
        }
        // The archived and pinned states have no number: the last ones received count.
        if (this.conversation) {
            this.conversation.archived = summary.archived === true;
            this.conversation.pinned = summary.pinned === true;
        }
        outcome.conversationChanged = true;
        return outcome;
    }

    #adoptSnapshot({ n, snapshot }, outcome) {
        const known = this.#known;
        this.#known = new Map();
        this.#tree = new MessageTree();
        this.#deleted = new Set();
        this.messages = new Map();
        for (const object of snapshot.messages) {
            this.#learn(object);
            const message = this.#known.get(object.id);
            const before = known.get(object.id);
            // The part of a partial text that the request named is not sent again.
            if (message.isPending && before?.growth.byteCount > message.growth.byteCount) {
                message.growth = before.growth;
            }
        }
        const last = snapshot.messages.at(-1)?.id ?? null;
        this.#tree.newest = last;
        // The first snapshot contains the user's stored selection; later ones do not change this
        // tab's.
        const isChosen = this.conversation === null ? snapshot.selected : this.selected;
        this.selected = isChosen ? last : null;
        this.#show(outcome);
        this.n = n;
        this.conversation = snapshot.conversation;
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
            outcome.resync = "watch";
            return;
        }
        this.n = event.n;
        this.#takeDurable(event, outcome);
    }

    #takeDurable(event, outcome) {
        switch (event.ev) {
        case "message.created":
            this.#create(event.message, outcome);
            return;
        case "message.deleted":
            this.#remove(event.messages, outcome);
            return;
        case "message.restored":
            // They were dropped, and only the server knows their position.
            outcome.resync = "snapshot";
            return;
        case "message.feedback":
            if (!this.#known.has(event.message)) return;
            this.#known.get(event.message).rate(event);
            outcome.changed.add(event.message);
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

    #create(object, outcome) {
        const parent = object.parent ?? null;
        this.#learn(object);
        this.#tree.insert(object.id, parent);
        this.#noteSiblings(parent, outcome);
        this.#show(outcome);
    }

    #remove(ids, outcome) {
        const isKnown = this.#tree.has(ids[0]);
        const parent = this.#tree.parentOf(ids[0]);
        const hidesShown = ids.some((id) => this.messages.has(id));
        this.#tree.remove(ids);
        for (const id of ids) {
            this.#known.delete(id);
            this.#deleted.add(id);
        }
        if (this.#deleted.has(this.selected)) this.selected = parent;
        this.#noteSiblings(parent, outcome);
        this.#show(outcome);
        // The deletion reached further up than the loaded messages, or removed all of them: only the
        // server knows the rest.
        const isLost = hidesShown && (!isKnown || this.messages.size === 0);
        if (isLost) outcome.resync = "snapshot";
    }

    #takeFleeting(event, outcome) {
        if (event.ev === "message.delta") {
            this.#grow(event, outcome);
            return;
        }
        const message = this.#known.get(event.message);
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
            // Once there is text, this only means that the next token is slow.
            if (message.text !== "") return;
            message.progress = { done: event.done, total: event.total };
            break;
        case "message.restarted":
            if (!message.restart(event)) this.#doubt(message, outcome);
            break;
        default:
            return;
        }
        outcome.changed.add(message.id);
    }

    #grow(delta, outcome) {
        const message = this.#known.get(delta.message);
        if (!message) return;
        if (!message.grow(delta)) outcome.resync = "watch";
        outcome.changed.add(message.id);
    }

    #adoptPart(part, outcome) {
        const message = this.messages.get(part.message);
        if (!message) return;
        if (!message.adopt(part)) this.#doubt(message, outcome);
        outcome.changed.add(message.id);
    }

    /** Marks a text as incomplete, so that it is requested from the start. */
    #doubt(message, outcome) {
        message.growth.replace("", message.growth.run);
        outcome.resync = "watch";
    }

    #end(event, outcome) {
        const message = this.#known.get(event.message);
        if (!message) return;
        if (message.end(endings[event.ev], event)) {
            outcome.checks.push({ message: message.id, sha256: event.sha256 });
        } else {
            outcome.resync = "snapshot";
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
