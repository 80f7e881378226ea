// Actions on the tree of messages: edit, regenerate, stop, show a sibling, fork, delete, rate. A request
// that creates something has a key and is repeated until there is a reply, so a broken connection
// neither loses nor duplicates it.

import { refusalOf } from "./allowance.js";
import { RequestError } from "./backend.js";
import { randomKey } from "./checksum.js";
import { delayBefore } from "./reconnect.js";
import { text } from "./language.js";
import { answerOf } from "./thinking.js";
import { confirmed } from "./views/dialogs.js";
import { showToast } from "./views/toast.js";

const pageCount = 50;
/** A message of another branch is looked for in at most this many pages. */
const pagesToSearchMax = 20;
/** After this many failures in a row the user sees an error, and may try again. */
const attemptsMax = 8;

/**
 * The actions. Dispatches "forked" (detail: the new conversation), and "asked" (detail: the
 * conversation's id) when another answer was asked for.
 */
export class TreeActions extends EventTarget {
    #connection;
    #watcher;
    #user;
    #allowances;
    /** The last requested sibling: replies to earlier requests are not shown. */
    #wanted = null;

    constructor(connection, watcher, user, allowances) {
        super();
        this.#connection = connection;
        this.#watcher = watcher;
        this.#user = user;
        this.#allowances = allowances;
    }

    /** Replaces a question by the text `edited`. Resolves to whether it was accepted. */
    async edit(message, edited) {
        const fields = { message: message.id, text: edited };
        return this.#ask(async (conversation) => {
            const { answer } = await this.#deliver("message.edit", { conversation, ...fields });
            await this.#show(conversation, answer.id);
        });
    }

    /** Regenerates an answer. */
    async regenerate({ id }) {
        return this.#answerAgain("message.regenerate", id);
    }

    /** Continues an answer that ended early. */
    async proceed({ id }) {
        return this.#answerAgain("message.continue", id);
    }

    /** Stops a queued or running answer. */
    async stop({ id, growth }) {
        return this.#ask(() => this.#connection.request(
            "generation.stop", { message: id, seen: growth.byteCount }));
    }

    /** Copies the branch up to a message to a new conversation. */
    async fork(message) {
        return this.#ask(async (conversation) => {
            const reply = await this.#deliver(
                "conversation.fork", { conversation, message: message.id });
            this.dispatchEvent(new CustomEvent("forked", { detail: reply.conversation }));
        });
    }

    /** Deletes a message and its descendants, after a confirmation; a toast offers to undo it. */
    async remove(message) {
        const agreed = await confirmed({
            heading: text("message.delete.heading"),
            text: text("message.delete.text"),
            agree: text("common.delete"),
        });
        if (!agreed) return false;
        return this.#ask(async (conversation) => {
            const fields = { conversation, message: message.id };
            await this.#connection.request("message.delete", fields);
            showToast(text("message.deleted"), () => this.#ask(
                () => this.#connection.request("message.restore", fields)));
        });
    }

    /** Rates an answer; the same rating again removes it. */
    async rate(message, rating) {
        const same = message.ratingOf(this.#user.id) === rating;
        return this.#ask((conversation) => this.#connection.request(
            "message.feedback", { conversation, message: message.id, rating: same ? null : rating }));
    }

    /**
     * Shows the previous (-1) or next (1) sibling of a message, and stores the selection on the
     * server. `swap(target, show)` does the showing.
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

    /** Compares a message with a sibling; `show(id)` shows another one in the thread. */
    async compare(message, show) {
        await this.#ask(async (conversation) => {
            const { openDialog } = await import("./views/compare-dialog.js");
            openDialog({
                siblings: this.#watcher.timeline.siblingsOf(message.id),
                shown: message.id,
                textOf: (id) => this.#textOf(conversation, id),
                show,
            });
        });
    }

    /** A message's text, from another branch if need be. */
    async #textOf(conversation, id) {
        const { timeline } = this.#watcher;
        if (timeline?.id === conversation && timeline.knows(id)) return timeline.get(id).answer;
        let page = await this.#connection.request(
            "message.list", { conversation, leaf: id, limit: pageCount });
        for (let count = 0; count < pagesToSearchMax && page.messages.length > 0; count += 1) {
            const found = page.messages.find((message) => message.id === id);
            if (found) return answerOf(found);
            page = await this.#connection.request("message.list", {
                conversation, before: page.messages[0].id, limit: pageCount,
            });
        }
        throw new Error(text("compare.missing"));
    }

    /** Shows the branch of a message in this tab, without storing it. */
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

    /**
     * Keeps the visible branch even if another becomes the newest. Returns a function that ends
     * this.
     */
    hold() {
        const { timeline } = this.#watcher;
        if (timeline.selected !== null) return () => {};
        const held = timeline.leaf;
        this.#watcher.update((shown) => shown.select(held));
        return () => {
            // The user may have selected another branch meanwhile.
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

    /** Shows a branch that was created here. */
    async #show(conversation, answer) {
        const { timeline } = this.#watcher;
        if (timeline?.id !== conversation) return;
        if (timeline.knows(answer)) {
            this.#watcher.update((shown) => shown.select(answer));
        } else {
            await this.showBranchOf(answer);
        }
    }

    /**
     * Runs `action` with the open conversation; shows a refusal. Resolves to whether it succeeded.
     */
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

    /** Sends a request once, across as many connections as needed. */
    async #deliver(op, fields) {
        const key = randomKey();
        for (let attempt = 0; ; attempt += 1) {
            try {
                const reply = await this.#connection.request(op, { key, ...fields });
                if (reply.answer) {
                    this.#allowances.take(fields.conversation, reply);
                    this.dispatchEvent(new CustomEvent("asked", { detail: fields.conversation }));
                }
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
