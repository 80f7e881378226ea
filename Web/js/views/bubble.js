// One message of the thread: bubble, author, and the line below it with its state or usage. Tests
// read `data-state`, `data-message-id`, `data-role` and the property `messageText`, the exact
// stored text.

import { copyText } from "../clipboard.js";
import { element, icon, setText } from "../element.js";
import { text as worded } from "../language.js";
import { isNamed } from "../mentions.js";
import {
    activityOf, authorOf, costOf, endingOf, fullTime, initials, omissionOf, paceOf,
} from "../wording.js";
import { MessageEditor } from "./message-editor.js";
import { MessageText } from "./message-text.js";
import { MessageTools } from "./message-tools.js";

/** The row of one message. */
export class Bubble {
    /** The list item. */
    node;

    #message;
    #ownID;
    #actions;
    #author = element("span", { "data-testid": "message-author" });
    #text = new MessageText();
    #line = element("div", { class: "line" }, [
        element("div", { class: "bubble" }, [this.#text.node])]);
    #meta = element("div", { class: "meta", "data-testid": "message-meta" });
    #metaSignature = null;
    #tools;
    #rights = { mayWrite: false, isOwner: false };
    #editor = null;
    /** Ends the holding of the branch when the editor closes. */
    #release = null;

    /**
     * `actions`: `{stop(message), retry(key), discard(key), edit(message, text), regenerate(message),
     * proceed(message), fork(message), remove(message), rate(message, rating),
     * showSibling(message, step), compare(message), hold(), showReceipt(message)}`.
     */
    constructor(message, ownID, actions) {
        this.#message = message;
        this.#ownID = ownID;
        this.#actions = actions;
        this.#tools = new MessageTools(actions, () => this.#openEditor());
        this.node = element("li", { class: "message", "data-testid": "message" }, [
            this.#author, this.#line,
            element("div", { class: "foot" }, [this.#meta, this.#tools.node])]);
        this.node.dataset.role = message.role;
        this.node.classList.add(this.#kind);
        Object.defineProperty(this.node, "messageText", { get: () => this.#message.text });
        this.update(message);
    }

    /** The author, for grouping. */
    get speaker() {
        const { role, author, authorName } = this.#message;
        // Authors without an account are distinguished by name; no id looks like one.
        return role === "assistant" ? "phi" : author?.id ?? `named ${authorName ?? ""}`;
    }

    /** When it was created, in milliseconds. */
    get time() {
        return Date.parse(this.#message.createdAt);
    }

    /** Draws what depends on neighbours and members. */
    place({ showsTime, startsGroup, endsGroup, isShared, rights }) {
        this.#rights = rights;
        this.#tools.show(this.#message, this.#ownID, rights);
        const isOthers = isShared && this.#kind !== "mine";
        this.node.classList.toggle("starts-group", startsGroup && !showsTime);
        this.node.classList.toggle("ends-group", endsGroup);
        setText(this.#author, this.#name);
        this.#author.className = isOthers && startsGroup ? "author" : "visually-hidden";
        this.#placePart("time", showsTime, this.node, () => {
            const { createdAt } = this.#message;
            return element("time", { class: "time", datetime: createdAt }, [fullTime(createdAt)]);
        });
        this.#placePart("avatar", isOthers && endsGroup, this.#line, () => {
            const letters = this.#kind === "phi" ? "φ" : initials(this.#name);
            return element("span", { class: "avatar", "aria-hidden": "true" }, [letters]);
        });
    }

    /** Draws the message's current state. */
    update(message = this.#message) {
        this.#message = message;
        const { node } = this;
        node.dataset.state = message.state;
        if (message.id) node.dataset.messageId = message.id;
        node.dataset.bytes = message.growth?.byteCount ?? "";
        node.classList.toggle("names-me", isNamed(this.#ownID, message));
        this.#drawText();
        this.#drawMeta();
        this.#tools.show(message, this.#ownID, this.#rights);
    }

    /** Focuses the pager, after it showed another sibling. */
    focusPager(step) {
        this.#tools.focusPager(step);
    }

    #openEditor() {
        if (this.#editor) return;
        // Another member's new branch must not remove the editor.
        this.#release = this.#actions.hold();
        this.#editor = new MessageEditor(this.#message.text, {
            send: (text) => this.#sendEdited(text),
            cancel: () => {
                this.#closeEditor();
                this.#tools.focusEdit();
            },
        });
        this.node.classList.add("is-edited");
        this.#line.after(this.#editor.node);
        this.#editor.focus();
    }

    async #sendEdited(text) {
        const isTaken = await this.#actions.edit(this.#message, text);
        if (isTaken) this.#closeEditor();
        return isTaken;
    }

    #closeEditor() {
        this.#editor?.node.remove();
        this.#editor = null;
        this.node.classList.remove("is-edited");
        this.#release?.();
        this.#release = null;
    }

    get #kind() {
        if (this.speaker === "phi") return "phi";
        return this.speaker === this.#ownID ? "mine" : "theirs";
    }

    get #name() {
        if (this.#kind === "mine") return worded("people.you");
        return this.#kind === "phi" ? "Phi" : authorOf(this.#message);
    }

    /** Inserts a part before the others of `parent`, or removes it. */
    #placePart(className, isWanted, parent, make) {
        const part = parent.querySelector(`:scope > .${className}`);
        if (isWanted && !part) parent.prepend(make());
        if (!isWanted) part?.remove();
    }

    #drawText() {
        const message = this.#message;
        this.#text.show(message, this.#ownID);
        this.#line.hidden = this.#text.isEmpty && !message.isPending;
    }

    /** Draws the line below. It is rebuilt only on changes, so that focus stays. */
    #drawMeta() {
        const message = this.#message;
        const parts = message.key ? this.#deliveryParts() : this.#answerParts();
        const signature = JSON.stringify(parts.map(({ text }) => text));
        if (signature === this.#metaSignature) return;
        this.#metaSignature = signature;
        this.#meta.hidden = parts.length === 0;
        this.#meta.replaceChildren(...parts.map(({ make }) => make()));
    }

    #deliveryParts() {
        const { key, state, failure } = this.#message;
        if (state !== "unsent") return [];
        const button = (testID, label, action) => ({
            text: label,
            make: () => pushButton({ "data-testid": testID }, [label], action),
        });
        return [
            sentence("problem", worded("message.not-sent", { reason: failure })),
            button("retry-message", worded("common.try-again"), () => this.#actions.retry(key)),
            button("discard-message", worded("message.discard"), () => this.#actions.discard(key)),
        ];
    }

    #answerParts() {
        const message = this.#message;
        if (message.role !== "assistant") return this.#questionParts();
        return message.isPending ? this.#growingParts() : this.#endedParts();
    }

    /** A question with formatting has a switch to its source. */
    #questionParts() {
        if (!this.#text.hasFormat) return [];
        const label = worded(this.#text.isSource ? "message.formatted" : "message.source");
        const attributes = { class: "show-source", "data-testid": "show-source" };
        const turn = () => {
            this.#text.turn(this.#message, this.#ownID);
            this.#drawMeta();
            this.#meta.querySelector(".show-source").focus();
        };
        return [{ text: label, make: () => pushButton(attributes, [label], turn) }];
    }

    #growingParts() {
        const message = this.#message;
        const parts = [];
        const activity = activityOf(message);
        if (message.progress) {
            const { done, total } = message.progress;
            const attributes = { max: total, value: done, "aria-label": worded("message.prompt-read") };
            parts.push({ text: done, make: () => element("progress", attributes) });
        }
        if (activity) parts.push(sentence("activity", activity));
        const omission = omissionOf(message);
        if (omission) parts.push(sentence("omission", omission, worded("omission.hint")));
        // The style sheet hides it while the composer's button stops this answer.
        parts.push({ text: "stop", make: () => this.#stopButton() });
        return parts;
    }

    #endedParts() {
        const message = this.#message;
        const parts = [];
        const ending = endingOf(message);
        if (ending) parts.push(sentence(message.state === "failed" ? "problem" : "ending", ending));
        if (message.usage && message.usage.completion_tokens > 0) {
            parts.push(sentence("pace", paceOf(message.usage), costOf(message.usage)));
        }
        const omission = omissionOf(message);
        if (omission) parts.push(sentence("omission", omission, worded("omission.hint")));
        if (message.usage) parts.push(this.#receiptPart());
        // Last, since it is hidden until the pointer comes near.
        if (message.answer) parts.push({ text: "copy", make: () => this.#copyButton() });
        return parts;
    }

    #stopButton() {
        const attributes = {
            class: "stop-answer", "data-testid": "stop-answer", title: worded("message.stop"),
        };
        return pushButton(attributes, [icon("stop"), worded("common.stop")],
            () => this.#actions.stop(this.#message));
    }

    #receiptPart() {
        const attributes = {
            class: "show-receipt",
            "data-testid": "show-receipt",
            "aria-label": worded("receipt.heading"),
            title: worded("receipt.heading"),
        };
        const show = () => this.#actions.showReceipt(this.#message);
        const label = worded("message.context");
        return { text: label, make: () => pushButton(attributes, [label], show) };
    }

    #copyButton() {
        const attributes = { class: "copy-answer", "data-testid": "copy-answer" };
        const button = pushButton(attributes, [worded("common.copy")], async () => {
            const isCopied = await copyText(this.#message.answer);
            setText(button, worded(isCopied ? "common.copied" : "common.not-copied"));
            setTimeout(() => setText(button, worded("common.copy")), 1500);
        });
        return button;
    }
}

function sentence(kind, text, title = null) {
    const attributes = { class: kind, title, "data-testid": `message-${kind}` };
    return { text, make: () => element("span", attributes, [text]) };
}

function pushButton(attributes, children, action) {
    const button = element("button", { type: "button", ...attributes }, children);
    button.addEventListener("click", action);
    return button;
}
