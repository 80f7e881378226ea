// The page of a reader with a read-only link: the conversation's branch without an account, live, or as it
// was when the link was made.

import { withoutMarks } from "../direction.js";
import { element, pictureAddress, setText } from "../element.js";
import { text } from "../language.js";
import { showInstead, showMarkdown } from "../markdown/view.js";
import { SharedReader } from "../shared-reader.js";
import { partsOf } from "../thinking.js";
import { exactTimeWithin, fullTime, titleOf } from "../wording.js";
import { KeyedRows } from "./keyed-rows.js";
import { ThinkingPart } from "./thinking-part.js";

const atEndPixels = 60;

/** Shows the conversation of the link with `token`. */
export function showShared(token) {
    const view = new SharedView(new SharedReader(token));
    document.body.append(view.node);
    view.begin();
}

class SharedView {
    #reader;
    #title = element("h1", { "data-testid": "shared-title", dir: "auto" });
    #state = element("p", { class: "shared-state", role: "status", "data-testid": "shared-state" });
    #older = element("button", { type: "button", class: "plain", hidden: true }, [
        text("shared.older")]);
    #list = element("ol", { class: "messages is-shared", "data-testid": "shared-messages" });
    #rows = new KeyedRows(this.#list, () => new SharedMessage());
    #box = element("div", {
        class: "thread", tabindex: 0, role: "region", "aria-label": text("shared.messages"),
    }, [this.#older, this.#list]);
    #isAtEnd = true;
    #frame = null;

    /** The whole page. */
    node = element("main", { id: "shared", class: "shared", "data-testid": "shared" }, [
        element("header", { class: "shared-head" }, [
            element("img", { src: pictureAddress(), alt: "", width: 28, height: 28 }),
            element("div", {}, [this.#title, this.#state]),
            element("a", { href: location.pathname, class: "shared-sign-in" }, [text("shared.enter")]),
        ]),
        this.#box,
        element("p", { class: "read-only-note" }, [text("shared.note")]),
    ]);

    constructor(reader) {
        this.#reader = reader;
        reader.addEventListener("changed", () => {
            if (document.hidden) this.#draw();
            else this.#frame ??= requestAnimationFrame(() => this.#draw());
        });
        this.#older.addEventListener("click", () => this.#loadOlder());
        this.#box.addEventListener("scroll", () => {
            const { scrollTop, scrollHeight, clientHeight } = this.#box;
            this.#isAtEnd = scrollHeight - scrollTop - clientHeight < atEndPixels;
        }, { passive: true });
        // Another link in the same window is another conversation.
        window.addEventListener("hashchange", () => location.reload());
    }

    begin() {
        this.#draw();
        this.#reader.open();
    }

    #draw() {
        cancelAnimationFrame(this.#frame);
        this.#frame = null;
        const { branch, state } = this.#reader;
        const isEnded = state === "ended";
        this.node.dataset.state = state;
        const title = isEnded ? text("shared.ended.title") : titleOf(branch);
        setText(this.#title, state === "connecting" ? "" : title);
        document.title = state === "connecting" ? "Stoa" : `${withoutMarks(title)} · Stoa`;
        setText(this.#state, stateTexts[state](branch));
        this.#older.hidden = isEnded || !branch.hasMore;
        // What the link does not show any more must not stay on the screen.
        const messages = isEnded ? [] : branch.messages;
        this.#rows.draw(messages.map((message) => ({ key: message.id, message })));
        // A snapshot is read from its beginning.
        if (this.#isAtEnd && !branch.asOf) this.#box.scrollTop = this.#box.scrollHeight;
    }

    async #loadOlder() {
        this.#older.disabled = true;
        const { scrollHeight, scrollTop } = this.#box;
        this.#isAtEnd = false;
        try {
            await this.#reader.loadOlder();
            this.#draw();
            this.#box.scrollTop = scrollTop + this.#box.scrollHeight - scrollHeight;
        } catch (error) {
            setText(this.#state, error.message);
        }
        this.#older.disabled = false;
    }
}

const stateTexts = {
    connecting: () => text("shared.connecting"),
    live: () => text("shared.live"),
    still: ({ asOf }) => text("shared.as-of", { time: exactTimeWithin(asOf) }),
    waiting: () => text("shared.waiting"),
    ended: () => text("shared.ended"),
};

/** One message. */
class SharedMessage {
    #thinking = new ThinkingPart();
    #text = element("div", { dir: "auto", "data-testid": "shared-text" });
    #author = element("span", { class: "author" });
    #time = element("time", { class: "visually-hidden" });
    #signature = null;

    node = element("li", { class: "message starts-group ends-group", "data-testid": "shared-message" }, [
        this.#author, this.#time,
        element("div", { class: "line" }, [element("div", { class: "bubble" }, [this.#thinking.node, this.#text])]),
    ]);

    draw({ message }) {
        const { role, author, state, created_at: createdAt } = message;
        const signature = JSON.stringify([message.text, state, author]);
        if (signature === this.#signature) return;
        this.#signature = signature;
        const isAnswer = role === "assistant";
        this.node.classList.add(isAnswer ? "phi" : "theirs");
        this.node.dataset.state = state;
        this.node.dataset.role = role;
        setText(this.#author, isAnswer ? "Phi" : author ?? text("people.former"));
        this.#time.dateTime = createdAt;
        setText(this.#time, fullTime(createdAt));
        this.#text.className = isAnswer ? "markdown" : "plain-text";
        if (!isAnswer) return setText(this.#text, message.text);
        const isGrowing = state === "queued" || state === "streaming";
        const parts = partsOf(message.text, isGrowing);
        this.#thinking.show(parts, { isGrowing, usage: message.usage });
        if (parts.answer) showMarkdown(this.#text, parts.answer);
        else showInstead(this.#text, [element("p", {}, [placeholderOf(state)])]);
    }
}

function placeholderOf(state) {
    return state === "failed" ? text("shared.failed") : "…";
}
