// Unacknowledged messages: kept here, and across a reload of the tab, until the server has stored
// them. Each has a key, so that sending it again after a lost reply does not duplicate it.

import { RequestError } from "./backend.js";
import { randomKey } from "./checksum.js";
import { delayBefore } from "./reconnect.js";
import { readValue, writeValue } from "./tab-storage.js";

/** Maximum number of unsent messages, so that a broken server can't fill the tab. */
const unsentMax = 50;

/**
 * The outbox. Dispatches "changed" when an item's state changes, "sent" (detail: the conversation's
 * id) when the server has stored a message, and "conversation-created" (detail: `{item,
 * conversation}`) when it created the conversation of a first message.
 *
 * An item: `{key, createKey, model, team, conversation, leaf, text, createdAt, state, sent,
 * failure}`; `conversation` is null until it is created; `state` is "waiting", "sent" or "failed";
 * `sent` is the reply, `failure` is `{code, message, possibleAt}`.
 */
export class Outbox extends EventTarget {
    #connection;
    #allowances;
    #storageName;
    #items;
    #isDelivering = false;
    #retryTimer = null;
    #refusals = 0;

    /**
     * The outbox of `user`; another user's unsent messages are never sent. `allowances` gets each
     * reply.
     */
    constructor(connection, user, allowances) {
        super();
        this.#connection = connection;
        this.#allowances = allowances;
        this.#storageName = `stoa.outbox.${user.id}`;
        this.#items = readValue(this.#storageName, []);
        connection.addEventListener("welcome", () => this.deliver());
    }

    /** The items of a conversation (null: of the new one), oldest first. */
    itemsOf(conversation) {
        return this.#items.filter((item) => item.conversation === conversation);
    }

    /** Whether another message can be added. */
    get hasRoom() {
        return this.#items.length < unsentMax;
    }

    /**
     * Sends `text`, now or once connected. `model` and `team`: the model and team of a new
     * conversation; undefined selects the server's default model, and no team. `leaf`: the last
     * visible message, to whose branch it is added.
     */
    add(conversation, text, { model, team, leaf } = {}) {
        const firstUnsent = this.itemsOf(null)[0];
        this.#items.push({
            key: randomKey(),
            // Messages written before their conversation exists all go to the same one.
            createKey: conversation === null ? firstUnsent?.createKey ?? randomKey() : null,
            // The same key requires the same request.
            model: firstUnsent ? firstUnsent.model : model,
            team: firstUnsent ? firstUnsent.team : team,
            conversation,
            leaf: leaf ?? undefined,
            text,
            createdAt: new Date().toISOString(),
            state: "waiting",
        });
        this.#keep();
        this.deliver();
    }

    /** Retries a refused item as a new request: the refused one had no effect. */
    retry(key) {
        const item = this.#items.find((candidate) => candidate.key === key);
        if (!item) return;
        item.state = "waiting";
        item.key = randomKey();
        // The leaf may have been deleted: then it goes to the branch that the user sees.
        delete item.leaf;
        delete item.failure;
        this.#keep();
        this.deliver();
    }

    /** Drops an item. */
    discard(key) {
        this.#items = this.#items.filter((item) => item.key !== key);
        this.#keep();
    }

    /**
     * Removes the items whose messages a timeline has, so that none is shown twice. Until then an
     * item stands for its message, whose event is still on its way.
     */
    settle(timeline) {
        const before = this.#items.length;
        this.#items = this.#items.filter((item) => {
            if (item.state !== "sent" || item.conversation !== timeline.id) return true;
            return timeline.n < item.sent.n && !timeline.messages.has(item.sent.message);
        });
        if (this.#items.length !== before) this.#keep();
    }

    /** Removes messages sent to other conversations: their timelines will have them. */
    dropSentExcept(conversation) {
        this.#items = this.#items.filter(
            (item) => item.state !== "sent" || item.conversation === conversation);
        this.#keep();
    }

    /** Sends the waiting messages one after the other, in the order of writing. */
    async deliver() {
        if (this.#isDelivering) return;
        clearTimeout(this.#retryTimer);
        this.#isDelivering = true;
        try {
            for (;;) {
                const item = this.#items.find((candidate) => candidate.state === "waiting");
                if (!item || this.#connection.state !== "live") return;
                await this.#deliver(item);
            }
        } catch (error) {
            this.#postpone(error);
        } finally {
            this.#isDelivering = false;
        }
    }

    async #deliver(item) {
        try {
            if (item.conversation === null) await this.#createConversation(item);
            const { conversation, key, text, leaf } = item;
            const reply = await this.#connection.request(
                "message.send", { conversation, key, text, leaf });
            item.state = "sent";
            item.sent = { message: reply.message.id, n: reply.n };
            this.#allowances.take(conversation, reply);
            this.#refusals = 0;
            this.dispatchEvent(new CustomEvent("sent", { detail: conversation }));
        } catch (error) {
            if (!(error instanceof RequestError) || error.isRetryable) throw error;
            item.state = "failed";
            const { code, message, possibleAt } = error;
            item.failure = { code, message, possibleAt };
            this.#allowances.refused(error);
        }
        this.#keep();
    }

    async #createConversation(item) {
        const { createKey, model, team } = item;
        const { conversation } = await this.#connection.request(
            "conversation.create", { key: createKey, model, team });
        for (const sibling of this.#items) {
            if (sibling.createKey === createKey) sibling.conversation = conversation.id;
        }
        this.#keep();
        const detail = { item, conversation };
        this.dispatchEvent(new CustomEvent("conversation-created", { detail }));
    }

    /**
     * Waits before the next attempt. After a lost connection, the reconnect is the next attempt.
     */
    #postpone(error) {
        if (this.#connection.state !== "live") return;
        const delay = Math.max((error.retryAfter ?? 0) * 1000, delayBefore(this.#refusals));
        this.#refusals += 1;
        this.#retryTimer = setTimeout(() => this.deliver(), delay);
    }

    #keep() {
        writeValue(this.#storageName, this.#items);
        this.dispatchEvent(new CustomEvent("changed"));
    }
}
