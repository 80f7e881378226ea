// The search field above the list: while something stands in it, what was found stands below it in
// the list's place.

import { byId, element } from "../element.js";
import { titleOf } from "../wording.js";

const pauseMilliseconds = 200;

/** Search. It dispatches "open" (detail: `{conversation, message}`). */
export class Search extends EventTarget {
    #connection;
    #field = byId("search");
    #results = byId("search-results");
    #timer = null;
    /** Counts searches: the reply of an older one is not shown. */
    #latest = 0;

    constructor(connection) {
        super();
        this.#connection = connection;
        this.#field.addEventListener("input", () => this.#schedule());
        this.#field.addEventListener("keydown", (event) => this.#onKey(event));
        this.#results.addEventListener("click", ({ target }) => {
            const row = target.closest("[data-message-id]");
            if (!row) return;
            const { conversationId: conversation, messageId: message } = row.dataset;
            this.dispatchEvent(new CustomEvent("open", { detail: { conversation, message } }));
        });
    }

    /** Empties the field, which brings the list back. */
    clear() {
        this.#field.value = "";
        this.#schedule();
    }

    #onKey(event) {
        if (event.key === "Escape" && this.#field.value !== "") {
            event.preventDefault();
            this.clear();
        } else if (event.key === "ArrowDown") {
            event.preventDefault();
            this.#results.querySelector("button")?.focus();
        }
    }

    #schedule() {
        clearTimeout(this.#timer);
        this.#latest += 1;
        const query = this.#field.value.trim();
        const isSearching = query !== "";
        byId("conversation-list").hidden = isSearching;
        byId("list-more").classList.toggle("visually-hidden", isSearching);
        byId("list-note").classList.toggle("visually-hidden", isSearching);
        if (!isSearching) {
            this.#show([], "");
            return;
        }
        this.#timer = setTimeout(() => this.#search(query), pauseMilliseconds);
    }

    async #search(query) {
        const turn = this.#latest;
        try {
            const reply = await this.#connection.request("search", { query });
            if (turn !== this.#latest) return;
            this.#show(reply.results, reply.results.length === 0 ? "Nothing found." : "");
            this.#offerMore(query, reply.cursor);
        } catch (error) {
            if (turn === this.#latest) this.#show([], error.message);
        }
    }

    #show(results, note) {
        this.#results.replaceChildren(...results.map(resultRow));
        this.#results.hidden = results.length === 0;
        byId("search-note").textContent = note;
        byId("search-note").hidden = note === "";
    }

    #offerMore(query, cursor) {
        if (!cursor) return;
        const button = element("button", { type: "button", "data-testid": "search-more" }, [
            "Show more"]);
        const row = element("li", {}, [button]);
        button.addEventListener("click", async () => {
            const turn = this.#latest;
            button.disabled = true;
            const reply = await this.#connection.request("search", { query, cursor })
                .catch(() => null);
            if (turn !== this.#latest) return;
            button.disabled = false;
            if (!reply) return;
            row.replaceWith(...reply.results.map(resultRow));
            this.#offerMore(query, reply.cursor);
        });
        this.#results.append(row);
    }
}

function resultRow({ conversation, title, message, snippet }) {
    const attributes = {
        type: "button",
        "data-testid": "search-result",
        "data-conversation-id": conversation,
        "data-message-id": message,
    };
    const parts = snippet.map(({ text, match }) => match ? element("mark", {}, [text]) : text);
    return element("li", {}, [element("button", attributes, [
        element("span", { class: "title", dir: "auto" }, [titleOf({ title })]),
        element("span", { class: "detail", dir: "auto" }, parts),
    ])]);
}
