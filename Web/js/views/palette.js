// The palette: finds commands and conversations by a few letters, and messages by the server's search.
// The field keeps the focus; arrow keys move through the options (the pattern "combobox" of ARIA).

import { chordText, listedCommands } from "../commands.js";
import { element, setText } from "../element.js";
import { bestMatches } from "../fuzzy.js";
import { text } from "../language.js";
import { titleOf } from "../wording.js";
import { makeDialog } from "./dialogs.js";
import { keyStyle } from "./shortcuts.js";

const optionsMax = 8;
const pauseMilliseconds = 200;

let palette = null;

/** Opens it; `page` is a `CommandTarget`. */
export function openPalette(page) {
    palette ??= new Palette();
    palette.open(page);
}

class Palette {
    #page = null;
    #dialog;
    #field = element("input", {
        type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-options",
        "aria-autocomplete": "list", "aria-label": text("palette.label"),
        placeholder: text("palette.placeholder"), autocomplete: "off", spellcheck: "false",
        maxlength: "200", "data-testid": "palette-field",
    });
    #list = element("div", {
        id: "palette-options", role: "listbox", "aria-label": text("palette.options"),
        "data-testid": "palette-options",
    });
    #none = element("p", { class: "hint", role: "status" });
    #options = [];
    #selected = 0;
    #timer = null;
    /** Counts searches, so that the reply of an older one is not shown. */
    #latest = 0;

    constructor() {
        this.#dialog = makeDialog("palette", text("palette.title"), [
            this.#field, this.#list, this.#none,
        ]);
        this.#field.addEventListener("input", () => this.#find());
        this.#field.addEventListener("keydown", (event) => this.#onKey(event));
        this.#list.addEventListener("click", ({ target }) => {
            const at = [...this.#list.querySelectorAll("[role=option]")]
                .indexOf(target.closest("[role=option]"));
            if (at >= 0) this.#choose(at);
        });
        this.#dialog.addEventListener("close", () => {
            clearTimeout(this.#timer);
            this.#latest += 1;
        });
    }

    open(page) {
        this.#page = page;
        this.#field.value = "";
        this.#find();
        this.#dialog.showModal();
        this.#field.focus();
    }

    #find() {
        const query = this.#field.value.trim();
        clearTimeout(this.#timer);
        this.#latest += 1;
        const found = [
            ...bestMatches(query, listedCommands(this.#page).map(commandOption), nameOf)
                .slice(0, optionsMax),
            ...bestMatches(query, this.#page.conversations.map(conversationOption), nameOf)
                .slice(0, optionsMax),
        ];
        this.#show(found);
        if (query === "") return;
        const turn = this.#latest;
        this.#timer = setTimeout(async () => {
            const results = await this.#page.search(query).catch(() => []);
            if (turn !== this.#latest) return;
            const messages = results.slice(0, optionsMax).map(messageOption);
            this.#show([...found, ...messages], this.#selected);
        }, pauseMilliseconds);
    }

    #show(options, selected = 0) {
        this.#options = options;
        let group = null;
        const nodes = [];
        options.forEach((option, index) => {
            if (option.group !== group) {
                ({ group } = option);
                const heading = element("div", { id: `palette-${group}`, class: "heading" },
                    [text(`palette.${group}`)]);
                const box = element("div", { role: "group", "aria-labelledby": heading.id }, [heading]);
                nodes.push(box);
            }
            nodes.at(-1).append(optionNode(option, index));
        });
        this.#list.replaceChildren(...nodes);
        this.#list.hidden = options.length === 0;
        setText(this.#none, options.length === 0 ? text("search.none") : "");
        this.#select(selected);
    }

    #select(index) {
        this.#selected = Math.max(0, Math.min(index, this.#options.length - 1));
        const nodes = [...this.#list.querySelectorAll("[role=option]")];
        nodes.forEach((node, at) => {
            node.setAttribute("aria-selected", String(at === this.#selected));
        });
        const chosen = nodes[this.#selected];
        if (chosen) this.#field.setAttribute("aria-activedescendant", chosen.id);
        else this.#field.removeAttribute("aria-activedescendant");
        chosen?.scrollIntoView({ block: "nearest" });
    }

    #onKey(event) {
        const count = this.#options.length;
        const targets = {
            ArrowDown: (this.#selected + 1) % Math.max(count, 1),
            ArrowUp: (this.#selected - 1 + count) % Math.max(count, 1),
        };
        if (event.key === "Enter" && !event.isComposing) {
            event.preventDefault();
            this.#choose(this.#selected);
        } else if (targets[event.key] !== undefined) {
            event.preventDefault();
            this.#select(targets[event.key]);
        }
    }

    #choose(index) {
        const option = this.#options[index];
        if (!option) return;
        // The focus returns to where it was, before the command moves it.
        this.#dialog.close();
        option.run(this.#page);
    }
}

function commandOption({ id, keys, run }) {
    const note = keys.length > 0 ? chordText(keys[0], keyStyle) : "";
    return { group: "commands", name: text(`command.${id}`), note, run };
}

function conversationOption({ id, title }) {
    return { group: "conversations", name: title, run: (page) => page.openConversation(id) };
}

function messageOption({ conversation, message, title, snippet }) {
    return {
        group: "messages",
        name: snippet.map((part) => part.text).join(""),
        note: titleOf({ title }),
        run: (page) => page.openMessage({ conversation, message }),
    };
}

function nameOf({ name }) {
    return name;
}

function optionNode({ name, note }, index) {
    return element("div", {
        id: `palette-option-${index}`, role: "option", "aria-selected": "false",
        "data-testid": "palette-option",
    }, [
        element("span", { class: "name", dir: "auto" }, [name]),
        ...(note ? [element("span", { class: "detail", dir: "auto" }, [note])] : []),
    ]);
}
