// The keyboard: runs the commands of commands.js, and moves the focus through messages and
// conversations. Palette and sheet are loaded when they are first opened.

import { setAppearance } from "./appearance.js";
import { commandOf } from "./commands.js";
import { byId, element } from "./element.js";
import { text } from "./language.js";
import { showToast } from "./views/toast.js";
import { titleOf } from "./wording.js";

/** What commands can do to the page (`page` in commands.js). */
export class CommandTarget {
    setAppearance = setAppearance;

    #parts;

    /**
     * `list`: the `ConversationList`; `connection`; `openID()`: the open conversation's id;
     * `open(id)` opens another one, and `openMessage({conversation, message})` shows a message;
     * `action(name)`: what the open conversation's menu offers under that name, or undefined.
     */
    constructor(parts) {
        this.#parts = parts;
    }

    /** The loaded conversations, as `{id, title}`. */
    get conversations() {
        return this.#parts.list.conversations.map(
            (conversation) => ({ id: conversation.id, title: titleOf(conversation) }));
    }

    openConversation(id) {
        this.#parts.open(id);
    }

    openMessage(found) {
        this.#parts.openMessage(found);
    }

    /** Resolves to the messages that the server finds. */
    async search(query) {
        return (await this.#parts.connection.request("search", { query })).results;
    }

    openPalette() {
        this.#open(import("./views/palette.js"), (view) => view.openPalette(this));
    }

    openSheet() {
        this.#open(import("./views/shortcuts.js"), (view) => view.openShortcuts());
    }

    /** Whether a button is offered to this user now. */
    offers(id) {
        return !byId(id).hidden;
    }

    /** Whether the open conversation's menu offers an action. */
    offersAction(name) {
        return this.#parts.action(name) !== undefined;
    }

    runAction(name) {
        this.#parts.action(name)?.run();
    }

    press(id) {
        byId(id).click();
    }

    focusSearch() {
        const field = byId("search");
        // On a phone it is in the drawer.
        if (!field.checkVisibility({ visibilityProperty: true })) byId("drawer-open").click();
        field.focus();
        field.select();
    }

    focusComposer() {
        const field = byId("composer-text");
        if (field.checkVisibility()) field.focus();
        else byId("thread").focus();
    }

    /** Opens the conversation below (1) or above (-1) the open one. */
    stepConversation(step) {
        const ids = this.#parts.list.conversations.map(({ id }) => id);
        const at = ids.indexOf(this.#parts.openID());
        const next = at < 0 ? ids[0] : ids[at + step];
        if (next !== undefined) this.#parts.open(next);
    }

    /** Focuses the next (1) or previous (-1) message; without a focused one, the last. */
    stepMessage(step) {
        const rows = [...byId("messages").children];
        const at = rows.findIndex((row) => row.contains(document.activeElement));
        const row = at < 0 ? rows.at(-1) : rows[at + step];
        if (row) focusMessage(row);
        else if (step > 0) this.focusComposer();
    }

    /** Whether the focused message has this button, shown and enabled. */
    messageOffers(selector) {
        return this.#inMessage(selector) !== null;
    }

    pressInMessage(selector) {
        this.#inMessage(selector)?.click();
    }

    #inMessage(selector) {
        const message = document.activeElement?.closest(".message");
        return message?.querySelector(`${selector}:not([hidden], :disabled)`) ?? null;
    }

    async #open(module, open) {
        try {
            open(await module);
        } catch {
            showToast(text("keyboard.not-loaded"));
        }
    }
}

/** Focuses the row of a message, and shows it. */
export function focusMessage(row) {
    row.tabIndex = -1;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
}

/** Follows the keyboard of the page; `page` is a `CommandTarget`. */
export function followKeyboard(page) {
    addSkipButton(page);
    document.addEventListener("keydown", (event) => onKey(event, page));
}

function onKey(event, page) {
    const { target } = event;
    const isElsewhere = event.defaultPrevented || event.isComposing
        || document.querySelector("dialog[open]") || byId("workspace").hidden
        || target.closest?.("[role=menu], .editor");
    if (isElsewhere) return;
    const isTyping = target.matches?.("input, textarea, select, [contenteditable]") ?? false;
    if (target.id === "composer-text" && event.key === "ArrowUp" && target.value === ""
        && !event.altKey && byId("messages").children.length > 0) {
        event.preventDefault();
        page.stepMessage(-1);
        return;
    }
    const isInMessage = Boolean(target.closest?.(".message"));
    if (event.key === "Escape" && isInMessage && !event.shiftKey
        && !document.querySelector("#messages [data-state=streaming]")) {
        event.preventDefault();
        page.focusComposer();
        return;
    }
    const command = commandOf(event, isTyping);
    // Arrows scroll the thread until a message has the focus, and move in lists and menus.
    const isArrow = /^Arrow/.test(event.key) && !event.altKey;
    if (!command || (isArrow && !isInMessage)) return;
    if (command.isPossible && !command.isPossible(page)) return;
    event.preventDefault();
    command.run(page);
}

/** The first stop of the Tab key: past the list, to the message field. */
function addSkipButton(page) {
    const button = element("button", { type: "button", class: "skip" }, [text("keyboard.skip")]);
    button.addEventListener("click", () => page.focusComposer());
    byId("workspace").prepend(button);
}
