// The buttons below a message: its siblings and actions. They are created once and shown or hidden, so
// that focus stays.

import { element, icon, setAttribute, setText } from "../element.js";
import { text } from "../language.js";

/** The row of buttons. */
export class MessageTools {
    /** The row. */
    node = element("div", {
        class: "tools", role: "group", "aria-label": text("message.tools"), "data-testid": "message-tools",
    });

    #actions;
    #message = null;
    #pager = element("span", { class: "pager", "data-testid": "message-pager", hidden: true });
    #count = element("span", { class: "pager-count", "data-testid": "pager-count" });
    #previous;
    #next;
    #compare;
    #buttons = {};
    #isBusy = false;

    /** `actions`: see `Bubble`; `edit()` opens the editor. */
    constructor(actions, edit) {
        this.#actions = actions;
        this.#previous = this.#button("previous", text("command.previous-version"), () => this.#turn(-1));
        this.#next = this.#button("next", text("command.next-version"), () => this.#turn(1));
        this.#compare = this.#button("compare", text("compare.open"), () => this.#do("compare"));
        this.#pager.append(this.#previous, this.#count, this.#next, this.#compare);
        this.#buttons = {
            edit: this.#button("edit", text("command.edit-message"), edit),
            regenerate: this.#button("again", text("command.answer-again"),
                () => this.#do("regenerate")),
            continue: this.#button("continue", text("command.continue-answer"),
                () => this.#do("proceed")),
            good: this.#button("good", text("command.good-answer"), () => this.#rate(1)),
            bad: this.#button("bad", text("command.bad-answer"), () => this.#rate(-1)),
            fork: this.#button("fork", text("command.fork-message"),
                () => this.#do("fork")),
            delete: this.#button("delete", text("command.delete-message"),
                () => this.#do("remove")),
        };
        for (const [name, button] of Object.entries(this.#buttons)) {
            button.dataset.testid = `message-${name}`;
        }
        this.node.append(this.#pager, ...Object.values(this.#buttons));
    }

    /** Shows the actions that `user` may perform on a message; `rights`: `{mayWrite, isOwner}`. */
    show(message, user, rights) {
        this.#message = message;
        const isStored = message.id !== null && message.key === undefined;
        const isAnswer = message.role === "assistant";
        const mayAct = isStored && rights.mayWrite;
        const isDone = isAnswer && message.isFinal;
        const isWanted = {
            edit: mayAct && !isAnswer,
            regenerate: mayAct && isDone,
            continue: mayAct && isDone && message.isCutShort,
            good: mayAct && isDone,
            bad: mayAct && isDone,
            fork: isStored && (isDone || !isAnswer),
            delete: mayAct && (rights.isOwner || isAnswer || message.author?.id === user),
        };
        for (const [name, wanted] of Object.entries(isWanted)) this.#buttons[name].hidden = !wanted;
        const rating = isDone ? message.ratingOf(user) : null;
        this.#buttons.good.setAttribute("aria-pressed", String(rating === 1));
        this.#buttons.bad.setAttribute("aria-pressed", String(rating === -1));
        this.#showPager(isStored ? message.siblings : []);
        this.node.hidden = !isStored;
    }

    /** Focuses the pager again, after it showed another sibling. */
    focusPager(step) {
        const [wanted, other] = step < 0
            ? [this.#previous, this.#next] : [this.#next, this.#previous];
        (wanted.disabled ? other : wanted).focus();
    }

    /** Focuses the button that opens the editor. */
    focusEdit() {
        this.#buttons.edit.focus();
    }

    #showPager(siblings) {
        const place = siblings.indexOf(this.#message.id);
        this.#pager.hidden = siblings.length < 2;
        this.#compare.hidden = this.#message.isPending === true;
        const numbers = { number: place + 1, count: siblings.length };
        setText(this.#count, text("message.version", numbers));
        setAttribute(this.#count, "aria-label", text("compare.version", numbers));
        this.#previous.disabled = place <= 0;
        this.#next.disabled = place < 0 || place === siblings.length - 1;
    }

    #turn(step) {
        this.#actions.showSibling(this.#message, step);
    }

    #rate(rating) {
        this.#actions.rate(this.#message, rating);
    }

    /** One click is one request: further clicks wait for its end. */
    async #do(action) {
        if (this.#isBusy) return;
        this.#isBusy = true;
        this.node.setAttribute("aria-busy", "true");
        try {
            await this.#actions[action](this.#message);
        } finally {
            this.#isBusy = false;
            this.node.removeAttribute("aria-busy");
        }
    }

    #button(symbol, label, action) {
        const attributes = {
            type: "button", class: "tool", "aria-label": label, title: label,
            "data-testid": `message-${symbol}`, "data-action": symbol,
        };
        const button = element("button", attributes, [icon(symbol)]);
        button.addEventListener("click", action);
        return button;
    }
}
