// A conversation's settings: title, system prompt with its versions, context policy, generation
// settings.

import { byId, element, setText } from "../element.js";
import { text as worded } from "../language.js";
import { fullTime, promptNameOf } from "../wording.js";
import { onSubmit } from "./dialogs.js";
import { PromptLibrary } from "./prompt-library.js";
import { SamplingPart, isSameSampling } from "./sampling-part.js";

/** The settings dialog. */
export class SettingsDialog {
    #connection;
    #teams;
    #conversation = null;
    /** The server's system prompt, once it is known. */
    #serverText = null;
    #library;
    #sampling = new SamplingPart();

    constructor(connection, teams) {
        this.#connection = connection;
        this.#teams = teams;
        this.#library = new PromptLibrary(connection, {
            text: () => byId("settings-system-prompt").value,
            take: (text) => this.#takePrompt(text),
        });
        byId("settings-team-part").before(this.#sampling.node);
        onSubmit("settings", () => this.#save());
        byId("settings-policy").addEventListener("change", () => this.#explainPolicy());
        byId("settings-server-prompt").addEventListener("change", () => this.#drawPrompt());
        byId("settings-prompts").addEventListener("toggle", () => this.#listPrompts());
    }

    /** Opens it for a conversation object. */
    open(conversation) {
        this.#conversation = conversation;
        this.#serverText = null;
        const { title, system_prompt: systemPrompt, settings = {} } = conversation;
        byId("settings-title").value = title ?? "";
        byId("settings-system-prompt").value = systemPrompt ?? "";
        byId("settings-server-prompt").checked = usesServerPrompt(conversation);
        byId("settings-policy").value = conversation.context_policy ?? "drop_oldest";
        this.#explainPolicy();
        this.#sampling.show(settings);
        this.#drawTeam();
        this.#library.open(this.#teams.get(conversation.team));
        byId("settings-prompts").open = false;
        byId("settings-error").textContent = "";
        this.#drawPrompt();
        byId("settings-dialog").showModal();
    }

    /** Sends only what was changed: another member may be changing something else. */
    async #save() {
        const { id, title, settings = {} } = this.#conversation;
        const changes = this.#promptChanges();
        const newTitle = byId("settings-title").value.trim();
        const newPolicy = byId("settings-policy").value;
        const newSettings = { ...settings, ...this.#sampling.values };
        if (newTitle !== (title ?? "")) changes.title = newTitle;
        if (newPolicy !== (this.#conversation.context_policy ?? "drop_oldest")) {
            changes.context_policy = newPolicy;
        }
        if (!isSameSampling(newSettings, settings)) changes.settings = newSettings;
        const isOpen = byId("settings-team-open").checked;
        if (this.#mayOpen && isOpen !== (this.#conversation.open ?? false)) changes.open = isOpen;
        const team = byId("settings-team").value;
        // First: if it is refused, nothing else is changed.
        if (team) await this.#connection.request("conversation.move", { conversation: id, team });
        if (Object.keys(changes).length > 0) {
            await this.#connection.request(
                "conversation.update", { conversation: id, ...changes });
        }
        byId("settings-dialog").close();
    }

    /** Null selects the server's prompt, a text is the conversation's own, empty or not. */
    #promptChanges() {
        const had = this.#conversation;
        if (byId("settings-server-prompt").checked) {
            return usesServerPrompt(had) ? {} : { system_prompt: null };
        }
        const written = byId("settings-system-prompt").value;
        const choice = this.#library.choiceFor(written);
        const { prompt, version } = had.system_prompt_version?.library ?? {};
        if (choice) {
            const isTaken = choice.prompt === prompt && choice.version === version;
            return isTaken ? {} : { library: choice };
        }
        const isSame = !usesServerPrompt(had) && written === (had.system_prompt ?? "");
        return isSame ? {} : { system_prompt: written };
    }

    #explainPolicy() {
        setText(byId("settings-policy-hint"), worded(`policy.${byId("settings-policy").value}`));
    }

    /** The owner may open a team's conversation to the team. */
    get #mayOpen() {
        return Boolean(this.#conversation.team) && this.#conversation.role === "owner";
    }

    /** The owner may move a conversation without a team to a team. */
    get #mayGive() {
        return !this.#conversation.team && this.#conversation.role === "owner";
    }

    #drawTeam() {
        const name = this.#teams.get(this.#conversation.team)?.name ?? "";
        byId("settings-team-open").closest("label").hidden = !this.#mayOpen;
        byId("settings-team-open").checked = this.#conversation.open ?? false;
        setText(byId("settings-team-name"), name);
        const places = this.#mayGive ? this.#teams.all.filter(({ role }) => role !== "viewer") : [];
        byId("settings-team-part").hidden = places.length === 0;
        byId("settings-team").replaceChildren(
            element("option", { value: "" }, [worded("settings.team.none")]),
            ...places.map(({ id, name: label }) => element("option", { value: id }, [label])));
    }

    #drawPrompt() {
        const takesServers = byId("settings-server-prompt").checked;
        const field = byId("settings-system-prompt");
        field.readOnly = takesServers;
        if (takesServers && this.#serverText !== null) field.value = this.#serverText;
        const name = promptNameOf(this.#conversation.system_prompt_version);
        setText(byId("settings-prompt-version"), name
            ? worded("settings.prompt.named", { name }) : worded("settings.prompt"));
        if (takesServers && this.#serverText === null) this.#readServerPrompt();
    }

    async #readServerPrompt() {
        const { id } = this.#conversation;
        try {
            const reply = await this.#connection.request(
                "conversation.prompts", { conversation: id, limit: 1 });
            if (this.#conversation.id !== id) return;
            this.#serverText = reply.server?.text ?? "";
            if (byId("settings-server-prompt").checked) {
                byId("settings-system-prompt").value = this.#serverText;
            }
        } catch {
            // The field keeps its text; saving reports the error, if there is one.
        }
    }

    async #listPrompts() {
        if (!byId("settings-prompts").open) return;
        const list = byId("settings-prompt-list");
        try {
            const { prompts } = await this.#connection.request(
                "conversation.prompts", { conversation: this.#conversation.id });
            const rows = prompts.map((prompt) => this.#promptRow(prompt));
            const none = element("li", { class: "about" }, [
                worded("settings.prompts.none")]);
            list.replaceChildren(...(rows.length > 0 ? rows : [none]));
        } catch (error) {
            setText(byId("settings-error"), error.message);
        }
    }

    #takePrompt(text) {
        byId("settings-server-prompt").checked = false;
        this.#drawPrompt();
        byId("settings-system-prompt").value = text;
        byId("settings-system-prompt").focus();
    }

    #promptRow({ version, text, author, created_at: createdAt }) {
        const about = [
            worded("settings.prompts.version", { version }), author?.name, fullTime(createdAt)]
            .filter(Boolean).join(" · ");
        const button = element("button", { type: "button" }, [worded("settings.prompts.use")]);
        button.addEventListener("click", () => this.#takePrompt(text));
        return element("li", { "data-testid": "settings-prompt" }, [
            element("span", { class: "about" }, [about]),
            button,
            element("span", { class: "text", dir: "auto" }, [
                text || worded("settings.prompts.empty")]),
        ]);
    }
}

function usesServerPrompt(conversation) {
    return conversation.system_prompt_version?.scope !== "conversation";
}
