// Legal hold, for administrators: while it lasts, nothing purges the conversation.

import { element, setText } from "../element.js";
import { text } from "../language.js";
import { exactTimeWithin, titleOf } from "../wording.js";
import { closeButton, createDialog, dialogButtons } from "./dialogs.js";
import { showToast } from "./toast.js";

const reasonMax = 500;

/** Opens it for a conversation. */
export function openDialog(connection, conversation) {
    const reason = element("input", {
        id: "hold-reason", "data-testid": "hold-reason", autocomplete: "off", maxlength: reasonMax,
    });
    const state = element("p", { role: "status", "data-testid": "hold-state" });
    const problem = element("p", { class: "form-error", role: "alert", "data-testid": "hold-error" });
    const release = element(
        "button", { type: "button", hidden: true, "data-testid": "hold-release" }, [text("hold.release")]);
    const hold = element(
        "button", { class: "primary", "data-testid": "hold-start" }, [text("hold.start")]);
    const form = element("form", { method: "dialog" }, [
        element("p", { class: "hint" }, [text("hold.lead")]), state,
        element("label", { for: "hold-reason" }, [text("hold.reason")]), reason,
        element("p", { class: "hint" }, [text("hold.hint")]), problem,
        dialogButtons(closeButton(text("common.cancel")), release, hold),
    ]);
    const heading = text("hold.heading", { title: titleOf(conversation) });
    const dialog = createDialog("hold-dialog", heading, [form]);
    const send = async (isHeld) => {
        problem.textContent = "";
        try {
            await connection.request("conversation.hold", {
                conversation: conversation.id, hold: isHeld, reason: reason.value.trim() || undefined,
            });
            dialog.close();
            showToast(isHeld ? text("hold.held") : text("hold.released"));
        } catch (error) {
            setText(problem, error.message);
        }
    };
    const drawState = async () => {
        try {
            const { holds } = await connection.request("conversation.hold.list", {
                conversation: conversation.id,
            });
            setText(state, stateOf(holds[0]));
            release.hidden = holds.length === 0;
        } catch (error) {
            // It may be held: that can be tried.
            release.hidden = false;
            setText(problem, error.message);
        }
    };
    release.addEventListener("click", () => send(false));
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        send(true);
    });
    dialog.showModal();
    drawState();
}

function stateOf(hold) {
    if (!hold) return text("hold.none");
    const { reason, held_at: at, held_by: user } = hold;
    const time = exactTimeWithin(at);
    return user ? text("hold.now.by", { name: user.name, time, reason })
        : text("hold.now", { time, reason });
}
