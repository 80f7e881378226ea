// Messages on their way: kept here, and across a reload of the tab, until the server has said that
// it stored them. Each bears a key, so that sending one again after a lost reply can't double it.

import { RequestError } from "./backend.js";
import { randomKey } from "./checksum.js";
import { delayBefore } from "./reconnect.js";
import { readValue, writeValue } from "./tab-storage.js";

/** How many may wait; more are refused, so that a broken server can't fill the tab. */
const unsentMax = 50;

/**
 * The outbox. It dispatches "changed" when an item's state changes, and "conversation-created"
 * (detail: `{item, conversation}`) when it made the conversation that a first message needs.
 *
 * An item: `{key, createKey, model, team, conversation, leaf, text, createdAt, state, sent, failure}`;
 * `conversation` is null until it is created; `state` is "waiting", "sent" or "failed"; `sent` holds the
 * reply, `failure` is `{code, message, possibleAt}`.
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
     * The outbox of `user`: another one's unsent messages are never sent in their name. `allowances`
     * learn what each reply says.
     */
    constructor(connection, user, allowances) {
        super();
        this.#connection = connection;
        this.#allowances = allowances;
        this.#storageName = `stoa.outbox.${user.id}`;
        this.#items = readValue(this.#storageName, []);
        connection.addEventListener("welcome", () => this.deliver());
    }

    /** The items of a conversation (null: of the one that is still to be created), oldest first. */
    itemsOf(conversation) {
        return this.#items.filter((item) => item.conversation === conversation);
    }

    /** Whether another message may be added. */
    get hasRoom() {
        return this.#items.length < unsentMax;
    }

    /**
     * Sends `text`, now or as soon as the server is there. `model` and `team`: which one answers, and
     * whose the conversation is, where it is still to be made; undefined leaves the choice of the model
     * to the server, and makes the conversation the user's own. `leaf`: the last
     * message that is shown, as it goes to the end of that branch.
     */
    add(conversation, text, { model, team, leaf } = {}) {
        const firstUnsent = this.itemsOf(null)[0];
        this.#items.push({
            key: randomKey(),
            // Messages written before their conversation exists all go to the same one.
            createKey: conversation === null ? firstUnsent?.createKey ?? randomKey() : null,
            // The same key must go with the same request.
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

    /** Tries a refused item again. It is a new request: the refused one did nothing. */
    retry(key) {
        const item = this.#items.find((candidate) => candidate.key === key);
        if (!item) return;
        item.state = "waiting";
        item.key = randomKey();
        // It may have been deleted: then it goes to the branch that its writer sees.
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
     * Drops the items whose messages a timeline holds by now, so that none is shown twice.
     * An item is kept until then: it stands for its message while the event is on its way.
     */
    settle(timeline) {
        const before = this.#items.length;
        this.#items = this.#items.filter((item) => {
            if (item.state !== "sent" || item.conversation !== timeline.id) return true;
            return timeline.n < item.sent.n && !timeline.messages.has(item.sent.message);
        });
        if (this.#items.length !== before) this.#keep();
    }

    /** Drops what was sent to conversations that nobody looks at: their timelines will hold it. */
    dropSentExcept(conversation) {
        this.#items = this.#items.filter(
            (item) => item.state !== "sent" || item.conversation === conversation);
        this.#keep();
    }

    /** Sends what waits, one after the other, in the order in which it was written. */
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

    /** Waits before the next attempt. A lost connection's return is the next attempt by itself. */
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
