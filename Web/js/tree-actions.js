// What one does to the tree of messages: ask differently, ask again, show another version, copy, delete,
// rate. What creates something bears a key and is asked for until there is an answer, so that a
// connection that breaks costs nothing and doubles nothing.

import { refusalOf } from "./allowance.js";
import { RequestError } from "./backend.js";
import { randomKey } from "./checksum.js";
import { delayBefore } from "./reconnect.js";
import { confirmed } from "./views/dialogs.js";
import { showToast } from "./views/toast.js";

const pageCount = 50;
/** After so many failures in a row the user is told, and may try again. */
const attemptsMax = 8;

/** The actions. They dispatch "forked" (detail: the new conversation). */
export class TreeActions extends EventTarget {
    #connection;
    #watcher;
    #user;
    #allowances;
    /** The last version that was asked for: an earlier one's reply is not shown. */
    #wanted = null;

    constructor(connection, watcher, user, allowances) {
        super();
        this.#connection = connection;
        this.#watcher = watcher;
        this.#user = user;
        this.#allowances = allowances;
    }

    /** Says `text` in place of a question. Resolves to whether it was taken. */
    async edit(message, text) {
        const fields = { message: message.id, text };
        return this.#ask(async (conversation) => {
            const { answer } = await this.#deliver("message.edit", { conversation, ...fields });
            await this.#show(conversation, answer.id);
        });
    }

    /** Has an answer made anew. */
    async regenerate({ id }) {
        return this.#answerAgain("message.regenerate", id);
    }

    /** Has an answer go on that ended too early. */
    async proceed({ id }) {
        return this.#answerAgain("message.continue", id);
    }

    /** Copies the branch up to a message into a conversation of one's own. */
    async fork(message) {
        return this.#ask(async (conversation) => {
            const reply = await this.#deliver(
                "conversation.fork", { conversation, message: message.id });
            this.dispatchEvent(new CustomEvent("forked", { detail: reply.conversation }));
        });
    }

    /** Deletes a message with all below it, after asking; for a while a toast brings it back. */
    async remove(message) {
        const agreed = await confirmed({
            heading: "Delete this message?",
            text: "What follows it on this and other branches goes too, for everybody.",
            agree: "Delete",
        });
        if (!agreed) return false;
        return this.#ask(async (conversation) => {
            const fields = { conversation, message: message.id };
            await this.#connection.request("message.delete", fields);
            showToast("The message is deleted.", () => this.#ask(
                () => this.#connection.request("message.restore", fields)));
        });
    }

    /** Says what one thinks of an answer; the same again takes it back. */
    async rate(message, rating) {
        const same = message.ratingOf(this.#user.id) === rating;
        return this.#ask((conversation) => this.#connection.request(
            "message.feedback", { conversation, message: message.id, rating: same ? null : rating }));
    }

    /**
     * Shows the version before (-1) or after (1) a message, and has the server remember it.
     * `swap(target, show)` is called to do the showing.
     */
    async showSibling(message, step, swap) {
        const { timeline } = this.#watcher;
        const siblings = timeline.siblingsOf(message.id);
        const target = siblings[siblings.indexOf(message.id) + step];
        if (target === undefined) return;
        const wanted = {};
        this.#wanted = wanted;
        await this.#ask(async (conversation) => {
            const { messages } = await this.#connection.request(
                "message.select", { conversation, message: target, limit: pageCount });
            if (this.#wanted !== wanted || timeline !== this.#watcher.timeline) return;
            swap(target, () => this.#watcher.update((shown) => shown.showBranch(messages)));
        });
    }

    /** Shows the branch that a message is on, where it is another; for this tab and for now. */
    async showBranchOf(id) {
        const { timeline } = this.#watcher;
        if (timeline.messages.has(id)) return;
        await this.#ask(async (conversation) => {
            const { messages } = await this.#connection.request(
                "message.list", { conversation, leaf: id, limit: pageCount });
            if (timeline !== this.#watcher.timeline) return;
            if (messages.at(-1)?.id === timeline.leaf) return;
            this.#watcher.update((shown) => shown.showBranch(messages));
        });
    }

    /** Keeps the branch that is shown, also where the newest is another. Returns what ends that. */
    hold() {
        const { timeline } = this.#watcher;
        if (timeline.selected !== null) return () => {};
        const held = timeline.leaf;
        this.#watcher.update((shown) => shown.select(held));
        return () => {
            // Whoever has chosen a branch meanwhile stays there.
            if (timeline !== this.#watcher.timeline || timeline.selected !== held) return;
            this.#watcher.update((shown) => shown.select(null));
        };
    }

    #answerAgain(op, message) {
        return this.#ask(async (conversation) => {
            const { answer } = await this.#deliver(op, { conversation, message });
            await this.#show(conversation, answer.id);
        });
    }

    /** Shows a branch that was made here. */
    async #show(conversation, answer) {
        const { timeline } = this.#watcher;
        if (timeline?.id !== conversation) return;
        if (timeline.knows(answer)) {
            this.#watcher.update((shown) => shown.select(answer));
        } else {
            await this.showBranchOf(answer);
        }
    }

    /** Does `action` with the open conversation; a refusal is shown. Resolves to whether it went. */
    async #ask(action) {
        try {
            await action(this.#watcher.timeline.id);
            return true;
        } catch (error) {
            this.#allowances.refused(error);
            showToast(refusalOf(error));
            return false;
        }
    }

    /** Asks for something once, over as many connections as that takes. */
    async #deliver(op, fields) {
        const key = randomKey();
        for (let attempt = 0; ; attempt += 1) {
            try {
                const reply = await this.#connection.request(op, { key, ...fields });
                if (reply.answer) this.#allowances.take(fields.conversation, reply);
                return reply;
            } catch (error) {
                const isOver = !(error instanceof RequestError) || !error.isRetryable;
                if (isOver || error.code === "busy" || attempt >= attemptsMax) throw error;
                const delay = Math.max((error.retryAfter ?? 0) * 1000, delayBefore(attempt));
                await new Promise((resolve) => {
                    setTimeout(resolve, delay);
                });
            }
        }
    }
}
