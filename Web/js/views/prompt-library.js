// Prompt libraries in the settings: the user's own, and that of the conversation's team. A system
// prompt can be loaded from there, and the field's text saved there.

import { randomKey } from "../checksum.js";
import { byId, element, setText } from "../element.js";
import { text } from "../language.js";
import { variablesIn, withValues } from "../prompt-variables.js";
import { confirmed, drawRows } from "./dialogs.js";

/** The part. */
export class PromptLibrary {
    #connection;
    #field;
    #team = null;
    #prompts = [];
    /** The last loaded or saved prompt: `{text, prompt, version}`. */
    #taken = null;

    /** `field`: `{text(), take(text)}`, the field of the system prompt. */
    constructor(connection, field) {
        this.#connection = connection;
        this.#field = field;
        byId("settings-library").addEventListener("toggle", ({ target }) => {
            if (target.open) this.#do(() => this.#load());
        });
        byId("library-none").after(element(
            "p", { class: "hint" }, [text("prompts.hint", { example: "{{name}}" })]));
        byId("library-keep").addEventListener("click", () => this.#do(() => this.#keep()));
        byId("library-name").addEventListener("keydown", (event) => {
            // This field is not part of the settings form: Enter must not submit it.
            if (event.key !== "Enter") return;
            event.preventDefault();
            byId("library-keep").click();
        });
    }

    /** Resets, for a conversation of `team`, or of none. */
    open(team) {
        this.#team = team;
        this.#taken = null;
        this.#prompts = [];
        byId("settings-library").open = false;
        byId("library-name").value = "";
        const libraries = [element("option", { value: "" }, [text("prompts.yours")])];
        if (team && this.#mayChange(team.id)) {
            libraries.push(element("option", { value: team.id }, [team.name]));
        }
        byId("library-whose").replaceChildren(...libraries);
        this.#draw();
    }

    /** The library prompt and version of an unchanged text; null otherwise. */
    choiceFor(prompted) {
        if (this.#taken?.text !== prompted) return null;
        const { prompt, version } = this.#taken;
        return { prompt, version };
    }

    /** Users may change their own library; viewers may not change a team's. */
    #mayChange(team) {
        return !team || (this.#team?.id === team && this.#team.role !== "viewer");
    }

    async #load() {
        const team = this.#team;
        const libraries = team ? [{}, { team: team.id }] : [{}];
        const replies = await Promise.all(
            libraries.map((library) => this.#connection.request("prompt.list", library)));
        if (this.#team !== team) return;
        this.#prompts = replies.flatMap(({ prompts }) => prompts);
        this.#draw();
    }

    #draw() {
        const rows = this.#prompts.map((prompt) => this.#row(prompt));
        drawRows(byId("library-list"), rows, byId("library-name"));
        byId("library-none").hidden = rows.length > 0;
    }

    #row(prompt) {
        const { name, version, team, author } = prompt;
        const about = [
            team ? this.#team?.name : text("prompts.yours"), text("prompts.version", { version }),
            author?.name,
        ];
        const button = (label, hint, action) => {
            const made = element("button", { type: "button", "aria-label": hint, title: hint }, [label]);
            made.addEventListener("click", () => this.#do(action));
            return made;
        };
        const tools = [button(
            text("prompts.use"), text("prompts.use.of", { name }), () => this.#use(prompt))];
        if (this.#mayChange(team)) {
            tools.push(
                button(text("prompts.replace"), text("prompts.replace.of", { name }),
                    () => this.#replace(prompt)),
                button(text("common.delete"), text("prompts.delete.of", { name }),
                    () => this.#delete(prompt)));
        }
        return element("li", { "data-testid": "library-prompt", "data-prompt-name": name }, [
            element("span", { class: "what" }, [
                element("span", { class: "name", dir: "auto" }, [name]),
                element("span", { class: "about" }, [about.filter(Boolean).join(" · ")]),
            ]),
            ...tools,
        ]);
    }

    /** A prompt with variables becomes a text of the conversation's own. */
    async #use({ id }) {
        const { versions: [newest] } = await this.#connection.request(
            "prompt.versions", { prompt: id, limit: 1 });
        const variables = variablesIn(newest.text);
        if (variables.length > 0) {
            const values = await (await import("./prompt-values.js"))
                .askForValues(newest.name, variables);
            if (values) this.#field.take(withValues(newest.text, values));
            return;
        }
        this.#field.take(newest.text);
        this.#taken = { text: this.#field.text(), prompt: id, version: newest.version };
    }

    async #keep() {
        const kept = this.#field.text();
        const request = { key: randomKey(), name: byId("library-name").value.trim(), text: kept };
        const team = byId("library-whose").value;
        if (team) request.team = team;
        const { prompt } = await this.#connection.request("prompt.create", request);
        byId("library-name").value = "";
        await this.#kept(prompt, kept);
    }

    async #replace({ id, version }) {
        const kept = this.#field.text();
        const { prompt } = await this.#connection.request(
            "prompt.update", { prompt: id, text: kept, version });
        await this.#kept(prompt, kept);
    }

    async #kept({ id, version }, kept) {
        this.#field.take(kept);
        this.#taken = { text: kept, prompt: id, version };
        await this.#load();
    }

    async #delete({ id, name }) {
        const isAgreed = await confirmed({
            heading: text("prompts.delete.heading", { name }),
            text: text("prompts.delete.text"),
            agree: text("common.delete"),
        });
        if (!isAgreed) return;
        await this.#connection.request("prompt.delete", { prompt: id });
        await this.#load();
    }

    async #do(action) {
        byId("settings-error").textContent = "";
        try {
            await action();
        } catch (error) {
            setText(byId("settings-error"), error.message);
        }
    }
}
