// The search field above the list: while it has text, the results replace the list.

import { byId, element, setText } from "../element.js";
import { text as worded } from "../language.js";
import { searchFieldsOf } from "../search-fields.js";
import { briefTime, fullTime, speakerOf, titleOf } from "../wording.js";
import { SearchFilters } from "./search-filters.js";

const pauseMilliseconds = 200;

/** Search. Dispatches "open" (detail: `{conversation, message}`). */
export class Search extends EventTarget {
    #connection;
    #filters;
    #openID;
    #field = byId("search");
    #results = byId("search-results");
    #timer = null;
    /** Counts searches, so that the reply of an older one is not shown. */
    #latest = 0;

    /** `teams`: the searchable teams; `openID()`: the open conversation's id, or null. */
    constructor(connection, teams, openID) {
        super();
        this.#connection = connection;
        this.#openID = openID;
        this.#filters = new SearchFilters(teams);
        this.#filters.addEventListener("changed", () => this.#schedule());
        this.#field.addEventListener("input", () => this.#schedule());
        this.#field.addEventListener("keydown", (event) => this.#onKey(event));
        this.#results.addEventListener("click", ({ target }) => {
            const row = target.closest("[data-message-id]");
            if (!row) return;
            const { conversationId: conversation, messageId: message } = row.dataset;
            this.dispatchEvent(new CustomEvent("open", { detail: { conversation, message } }));
        });
    }

    /** Clears the field, which shows the list again. */
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
        const fields = searchFieldsOf({
            query: this.#field.value, ...this.#filters.values, conversation: this.#openID(),
        });
        const isSearching = fields !== null;
        byId("conversation-list").hidden = isSearching;
        byId("list-more").classList.toggle("visually-hidden", isSearching);
        byId("list-note").classList.toggle("visually-hidden", isSearching);
        if (!isSearching) {
            this.#show([], "");
            return;
        }
        this.#timer = setTimeout(() => this.#search(fields), pauseMilliseconds);
    }

    async #search(fields) {
        const turn = this.#latest;
        try {
            const reply = await this.#connection.request("search", fields);
            if (turn !== this.#latest) return;
            this.#show(reply.results, reply.results.length === 0 ? worded("search.none") : "");
            this.#offerMore(fields, reply.cursor);
        } catch (error) {
            if (turn === this.#latest) this.#show([], error.message);
        }
    }

    #show(results, note) {
        this.#results.replaceChildren(...results.map(resultRow));
        this.#results.hidden = results.length === 0;
        setText(byId("search-note"), note);
        byId("search-note").hidden = note === "";
    }

    #offerMore(fields, cursor) {
        if (!cursor) return;
        const button = element("button", { type: "button", "data-testid": "search-more" }, [
            worded("search.more")]);
        const row = element("li", {}, [button]);
        button.addEventListener("click", async () => {
            const turn = this.#latest;
            button.disabled = true;
            const reply = await this.#connection.request("search", { ...fields, cursor })
                .catch(() => null);
            if (turn !== this.#latest) return;
            button.disabled = false;
            if (!reply) return;
            row.replaceWith(...reply.results.map(resultRow));
            this.#offerMore(fields, reply.cursor);
        });
        this.#results.append(row);
    }
}

function resultRow({ conversation, title, message, snippet, ...about }) {
    const attributes = {
        type: "button",
        "data-testid": "search-result",
        "data-conversation-id": conversation,
        "data-message-id": message,
    };
    const parts = snippet.map(({ text, match }) => match ? element("mark", {}, [text]) : text);
    const { created_at: createdAt } = about;
    const time = { class: "time", datetime: createdAt, title: createdAt && fullTime(createdAt) };
    const speaker = speakerOf(about);
    return element("li", {}, [element("button", attributes, [
        element("span", { class: "title", dir: "auto" }, [titleOf({ title })]),
        element("time", time, [createdAt ? briefTime(createdAt) : ""]),
        element("span", { class: "detail", dir: "auto" }, [
            ...(speaker ? [element("span", { class: "speaker" }, [speaker]), " "] : []), ...parts,
        ]),
    ])]);
}
