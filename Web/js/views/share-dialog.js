// Read-only links to a conversation: made, listed and revoked by its owner.

import { sharedAddress } from "../address.js";
import { copyText } from "../clipboard.js";
import { element, setAttribute, setText } from "../element.js";
import { text } from "../language.js";
import { lifetimeChooser } from "../lifetimes.js";
import { endNoteOf, timeWithin, titleOf } from "../wording.js";
import { closeButton, createDialog, dialogButtons, drawRows } from "./dialogs.js";

/**
 * Opens it for a conversation. `leaf` is the last message of the branch that is shown, or null if the
 * conversation is not open.
 */
export function openDialog(connection, conversation, leaf) {
    new ShareDialog(connection, conversation, leaf).open();
}

/** A link's note: what it shows, until when, who made it. */
export function shareNoteOf(share, now) {
    const { expires_at: end, created_by: creator, created_at: start } = share;
    return [
        whatIsShown(share),
        endNoteOf(end, now),
        text("share.made", { name: creator.name, time: timeWithin(start, now) }),
    ].join(" · ");
}

function whatIsShown({ kind, leaf }) {
    if (kind === "snapshot") return text("share.shows.snapshot");
    return leaf ? text("share.shows.branch") : text("share.shows.newest");
}

class ShareDialog {
    #connection;
    #conversation;
    #dialog;
    #kinds = element("fieldset", {}, [
        element("legend", {}, [text("share.what")]),
        radio("live", text("share.live"), true), radio("snapshot", text("share.snapshot"), false),
    ]);
    #branch;
    #end = lifetimeChooser(
        { id: "share-end", "data-testid": "share-end" }, { endless: text("lifetime.endless") });
    #address = element("input", {
        id: "share-address", "data-testid": "share-address", class: "secret", readonly: true,
        "aria-label": text("share.address"), spellcheck: "false",
    });
    #made = element("div", { class: "invite-line", hidden: true });
    #note = element("p", { class: "hint", role: "status", "data-testid": "share-note" });
    #error = element("p", { class: "form-error", role: "alert", "data-testid": "share-error" });
    #list = element("ul", {
        class: "entries", "data-testid": "share-list", "aria-label": text("share.list"),
    });
    #none = element("p", { class: "hint", hidden: true }, [text("common.none")]);
    #done = closeButton();

    constructor(connection, conversation, leaf) {
        this.#connection = connection;
        this.#conversation = conversation;
        this.#branch = element("select", { id: "share-branch", "data-testid": "share-branch" }, [
            ...(leaf ? [element("option", { value: leaf }, [text("share.branch")])] : []),
            element("option", { value: "" }, [text("share.newest")]),
        ]);
        const make = button("share-make", text("share.make"), () => this.#make(), "primary begins");
        this.#made.append(
            this.#address, button("share-copy", text("common.copy"), () => this.#copy()));
        this.#dialog = createDialog("share-dialog", text("share.heading"), [
            element("p", { class: "hint" }, [
                text("share.lead", { title: titleOf(conversation) })]),
            this.#kinds, element("p", { class: "hint" }, [text("share.hint")]),
            element("label", { for: "share-branch" }, [text("share.branch.label")]), this.#branch,
            element("label", { for: "share-end" }, [text("common.end")]), this.#end,
            make, this.#made, this.#note, this.#error,
            element("h3", {}, [text("share.list")]), this.#list, this.#none,
            dialogButtons(this.#done),
        ]);
    }

    open() {
        this.#dialog.showModal();
        this.#do(() => this.#load());
    }

    async #load() {
        const { shares } = await this.#connection.request(
            "share.list", { conversation: this.#conversation.id });
        drawRows(this.#list, shares.map((share) => this.#row(share)), this.#done);
        this.#none.hidden = shares.length > 0;
    }

    #row(share) {
        const note = shareNoteOf(share);
        const revoke = button(
            "share-revoke", text("common.revoke"), () => this.#do(() => this.#revoke(share)), "danger");
        setAttribute(revoke, "aria-label", text("share.revoke.of", { note }));
        return element("li", { "data-testid": "share-row" }, [
            element("span", { class: "what" }, [element("span", { class: "about" }, [note])]), revoke,
        ]);
    }

    #make() {
        return this.#do(async () => {
            const { token } = await this.#connection.request("share.create", {
                conversation: this.#conversation.id,
                kind: this.#kinds.querySelector(":checked").value,
                leaf: this.#branch.value || undefined,
                expires_in: this.#end.value ? Number(this.#end.value) : undefined,
            });
            this.#address.value = sharedAddress(token);
            this.#made.hidden = false;
            setText(this.#note, text("secret.once"));
            this.#made.querySelector("button").focus();
            await this.#load();
        });
    }

    async #copy() {
        const isCopied = await copyText(this.#address.value);
        if (!isCopied) this.#address.select();
        setText(this.#note, text(isCopied ? "secret.copied" : "secret.select"));
    }

    async #revoke({ id }) {
        await this.#connection.request(
            "share.revoke", { conversation: this.#conversation.id, share: id });
        setText(this.#note, text("share.revoked"));
        await this.#load();
    }

    async #do(action) {
        this.#error.textContent = "";
        try {
            await action();
        } catch (error) {
            setText(this.#error, error.message);
        }
    }
}

function radio(value, label, checked) {
    const attributes = { type: "radio", name: "share-kind", value, checked };
    const input = element("input", { ...attributes, "data-testid": `share-${value}` });
    return element("label", { class: "check" }, [input, label]);
}

function button(testID, label, action, className = null) {
    const attributes = { type: "button", class: className, "data-testid": testID };
    const node = element("button", attributes, [label]);
    node.addEventListener("click", action);
    return node;
}
