// Conversations that are held as evidence: which ones, holding another, and releasing one.

import { element, setAttribute } from "../element.js";
import { text } from "../language.js";
import { conversationIn } from "./conversation-id.js";
import { momentOf, preciseMomentOf } from "./format.js";
import { askAgreement, askForm, labelled } from "./parts/dialog.js";
import { PagedTable } from "./parts/table.js";

/** Shows the holds in `box`. */
export function show(box, { connection, act, say }) {
    const release = async ({ conversation }) => {
        const isDone = await askAgreement({
            heading: text("administration.holds.release.heading"),
            lead: text("administration.holds.release.lead"),
            agree: text("administration.holds.release"),
            act: () => connection.request("conversation.hold", { conversation, hold: false }),
        });
        if (!isDone) return;
        await act(() => table.restart());
        say(text("administration.holds.released", { conversation }));
    };
    const table = new PagedTable({
        label: text("administration.section.holds"),
        none: text("administration.holds.none"),
        keyOf: ({ conversation }) => conversation,
        act,
        load: async (cursor) => {
            const page = await connection.request("conversation.hold.list", { cursor });
            return { rows: page.holds, cursor: page.cursor };
        },
        columns: [
            { title: text("administration.conversation"),
                cell: ({ conversation }) => element("code", {}, [conversation]) },
            { title: text("administration.holds.reason"), cell: reasonCell },
            { title: text("administration.holds.by"),
                cell: ({ held_by: user }) => user?.name ?? text("administration.holds.by.unknown") },
            { title: text("administration.time"), cell: ({ held_at: at }) => element(
                "time", { datetime: at }, [preciseMomentOf(at)]) },
            { title: text("administration.actions"), cell: (hold) => {
                const button = element("button", { type: "button" },
                    [text("administration.holds.release")]);
                setAttribute(button, "aria-label", text("administration.holds.release.of", {
                    conversation: hold.conversation,
                }));
                button.addEventListener("click", () => release(hold));
                return button;
            } },
        ],
    });
    const add = element("button", { type: "button", class: "primary", "data-testid": "hold-new" },
        [text("administration.holds.new")]);
    add.addEventListener("click", async () => {
        if (await askHold(connection)) await act(() => table.restart());
    });
    box.append(
        element("p", { class: "hint" }, [text("administration.holds.lead")]),
        element("div", { class: "controls" }, [add]), table.node);
    return { refresh: () => table.refresh() };
}

/** Why it is held; and that its release ends it, if it is deleted. */
function reasonCell({ reason, deleted_at: deletedAt }) {
    if (!deletedAt) return reason;
    const note = text("administration.holds.deleted", { time: momentOf(deletedAt) });
    return [`${reason} `, element("span", { class: "hint" }, [note])];
}

function askHold(connection) {
    const conversation = labelled({
        label: text("administration.holds.conversation"),
        hint: text("administration.holds.conversation.hint"),
        required: true, spellcheck: "false", "data-testid": "hold-conversation",
    });
    const reason = labelled({
        label: text("administration.holds.reason"), required: true, maxlength: 250,
        "data-testid": "hold-reason",
    });
    return askForm({
        heading: text("administration.holds.new"),
        lead: text("administration.holds.new.lead"),
        content: [...conversation.nodes, ...reason.nodes],
        agree: text("administration.holds.new.agree"),
        act: async () => {
            const id = conversationIn(conversation.input.value);
            if (!id) throw new Error(text("administration.holds.conversation.wrong"));
            await connection.request("conversation.hold", {
                conversation: id, hold: true, reason: reason.input.value.trim(),
            });
        },
    });
}
