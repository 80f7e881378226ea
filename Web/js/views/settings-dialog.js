// A conversation's settings: title, system prompt, how its answers are made.

import { byId } from "../element.js";
import { onSubmit } from "./dialogs.js";

/** The settings dialog. */
export class SettingsDialog {
    #connection;
    #conversation = null;

    constructor(connection) {
        this.#connection = connection;
        onSubmit("settings", () => this.#save());
    }

    /** Opens it for a conversation object. */
    open(conversation) {
        this.#conversation = conversation;
        const { title, system_prompt: systemPrompt, settings = {} } = conversation;
        byId("settings-title").value = title ?? "";
        byId("settings-system-prompt").value = systemPrompt ?? "";
        byId("settings-temperature").value = settings.temperature ?? "";
        byId("settings-max-tokens").value = settings.max_tokens ?? "";
        byId("settings-error").textContent = "";
        byId("settings-dialog").showModal();
    }

    /** Sends what was changed, and only that: a teammate may be changing something else. */
    async #save() {
        const { id, title, system_prompt: systemPrompt, settings = {} } = this.#conversation;
        const changes = {};
        const newTitle = byId("settings-title").value.trim();
        const newPrompt = byId("settings-system-prompt").value;
        const newSettings = {
            ...settings,
            temperature: numberIn("settings-temperature"),
            max_tokens: numberIn("settings-max-tokens"),
        };
        if (newTitle !== (title ?? "")) changes.title = newTitle;
        if (newPrompt !== (systemPrompt ?? "")) changes.system_prompt = newPrompt;
        if (newSettings.temperature !== settings.temperature
            || newSettings.max_tokens !== settings.max_tokens) {
            changes.settings = newSettings;
        }
        if (Object.keys(changes).length > 0) {
            await this.#connection.request(
                "conversation.update", { conversation: id, ...changes });
        }
        byId("settings-dialog").close();
    }
}

/** A field's number; undefined where it is empty, which leaves the choice to the server. */
function numberIn(id) {
    const { valueAsNumber } = byId(id);
    return Number.isNaN(valueAsNumber) ? undefined : valueAsNumber;
}
