// The row of a conversation in the list.

import { element, icon, setAttribute } from "../element.js";
import { numberText, text } from "../language.js";
import { briefTime, endOf, titleOf } from "../wording.js";
import { ListRow } from "./list-row.js";

/** A row. `draw` changes only what differs from the last drawing. */
export class ConversationRow extends ListRow {
    #signature = null;

    constructor(id) {
        super({
            main: { "data-testid": "conversation-row", "data-conversation-id": id },
            item: { draggable: "true" },
        });
    }

    /**
     * Draws `{conversation, detail, isOpen, isLookedAt, isFiled}`: `detail` is the line below the
     * title; a conversation that is looked at counts as read, one that is filed stands in a folder.
     */
    draw({ conversation, detail, isOpen, isLookedAt, isFiled = false }) {
        this.node.classList.toggle("is-filed", isFiled);
        const { running = 0, pinned = false, updated_at: updatedAt, expires_at: end } = conversation;
        const shown = {
            title: titleOf(conversation),
            detail,
            isOpen,
            pinned,
            running,
            end: end ? endOf(end) : null,
            unread: isLookedAt ? 0 : conversation.unread ?? 0,
            mentions: isLookedAt ? 0 : conversation.mentions ?? 0,
            updatedAt,
            time: briefTime(updatedAt),
            tags: conversation.tags ?? [],
        };
        const signature = JSON.stringify(shown);
        if (signature === this.#signature) return;
        this.#signature = signature;
        this.#show(shown);
    }

    #show({ title, detail, isOpen, pinned, running, end, unread, mentions, updatedAt, time, tags }) {
        const attributes = {
            "data-unread": unread > 0 ? unread : null,
            "data-mentions": mentions > 0 ? mentions : null,
            "data-running": running > 0 ? running : null,
            "aria-current": isOpen ? "true" : null,
        };
        for (const [name, value] of Object.entries(attributes)) {
            if (value === null) this.main.removeAttribute(name);
            else this.main.setAttribute(name, String(value));
        }
        setAttribute(this.more, "aria-label", text("conversations.menu.of", { title }));
        this.main.replaceChildren(
            element("span", { class: "title", dir: "auto" }, [title]),
            element("span", { class: "marks" }, [
                ...(pinned ? [mark("pinned", text("conversations.mark.pinned"), icon("pin"))] : []),
                ...(end ? [mark("temporary", end, icon("clock"))] : []),
                ...(running > 0 ? [mark("running", text("conversations.mark.running"))] : []),
                ...(mentions > 0 ? [mark("mentions", text("conversations.mark.mentions"), "@")] : []),
                ...(unread > 0 ? [mark(
                    "unread", text("conversations.mark.unread", { count: unread }), numberText(unread))] : []),
                element("time", { class: "time", datetime: updatedAt }, [time]),
            ]),
            ...(detail ? [element("span", { class: "detail" }, [detail])] : []),
            ...(tags.length > 0 ? [element("span", { class: "tags" }, tags.map(
                (tag) => element("span", { class: "tag", dir: "auto" }, [tag])))] : []));
    }
}

function mark(kind, label, content = "") {
    const attributes = { class: kind, role: "img", "aria-label": label, title: label };
    return element("span", attributes, [content]);
}
