// Moves a conversation to a team, for good.

import { element, setText } from "../element.js";
import { text } from "../language.js";
import { titleOf } from "../wording.js";
import { closeButton, createDialog, dialogButtons } from "./dialogs.js";
import { showToast } from "./toast.js";

/** Opens it for a conversation; `teams` are those that it can be moved to. */
export function openDialog(connection, conversation, teams) {
    const chooser = element("select", { id: "move-team", "data-testid": "move-team" }, teams.map(
        ({ id, name }) => element("option", { value: id }, [name])));
    const problem = element("p", { class: "form-error", role: "alert", "data-testid": "move-error" });
    const move = element(
        "button", { class: "primary", "data-testid": "move-start" }, [text("move.start")]);
    const form = element("form", { method: "dialog" }, [
        element("label", { for: "move-team" }, [text("move.team")]), chooser,
        element("p", { class: "hint" }, [text("move.hint")]), problem,
        dialogButtons(closeButton(text("common.cancel")), move),
    ]);
    const heading = text("move.heading", { title: titleOf(conversation) });
    const dialog = createDialog("move-dialog", heading, [form]);
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        const team = teams.find(({ id }) => id === chooser.value);
        try {
            await connection.request(
                "conversation.move", { conversation: conversation.id, team: team.id });
            dialog.close();
            showToast(text("move.done", { name: team.name }));
        } catch (error) {
            setText(problem, error.message);
        }
    });
    dialog.showModal();
}
