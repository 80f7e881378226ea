// Conversations that are held as evidence: which ones, holding another, and releasing one.

import { element, setAttribute, setText } from "../element.js";
import { text } from "../language.js";
import { preciseMomentOf } from "./format.js";
import { conversationIn, heldOf } from "./holds-log.js";
import { askAgreement, askForm, labelled } from "./parts/dialog.js";
import { PagedTable } from "./parts/table.js";

/** Pages of the audit log that are read for each of the two actions. */
const pagesMax = 10;

/** Shows the holds in `box`. */
export function show(box, { connection, act, say }) {
    const isCut = element("p", { class: "hint" });
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
        load: async () => {
            const { entries, hasMore } = await holdEntries(connection);
            setText(isCut, hasMore ? text("administration.holds.cut") : "");
            return { rows: heldOf(entries) };
        },
        columns: [
            { title: text("administration.conversation"),
                cell: ({ conversation }) => element("code", {}, [conversation]) },
            { title: text("administration.holds.reason"), cell: ({ reason }) => reason },
            { title: text("administration.holds.by"), cell: ({ by }) => by },
            { title: text("administration.time"), cell: ({ at }) => element(
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
        element("div", { class: "controls" }, [add]), table.node, isCut);
    return { refresh: () => table.refresh() };
}

/** The entries of the audit log about holds, as `{entries, hasMore}`. */
async function holdEntries(connection) {
    const entries = [];
    let hasMore = false;
    for (const action of ["conversation.held", "conversation.released"]) {
        let cursor;
        let pages = 0;
        do {
            const page = await connection.request("audit.list", { action, cursor, limit: 200 });
            entries.push(...page.entries);
            ({ cursor } = page);
            pages += 1;
        } while (cursor && pages < pagesMax);
        hasMore ||= Boolean(cursor);
    }
    return { entries, hasMore };
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
