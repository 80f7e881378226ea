// The administration: the navigation, and the section that the address names. Each section is a module
// of its own, loaded when it is opened. It has a function `show(box, context, place)` that fills
// `box`, and returns `{refresh, close}`: `refresh` loads what is shown, `close` (optional) ends what
// goes on.

import { byId, element, setText } from "../element.js";
import { text } from "../language.js";
import { addressOf, sectionNames } from "./place.js";

const modules = {
    overview: () => import("./overview.js"),
    users: () => import("./users.js"),
    teams: () => import("./teams.js"),
    usage: () => import("./usage.js"),
    runs: () => import("./runs.js"),
    models: () => import("./models.js"),
    audit: () => import("./audit.js"),
    holds: () => import("./holds.js"),
};

/** The view, inside the workspace. */
export class AdministrationView {
    #context;
    #connection;
    #box = null;
    #section = null;
    #links = new Map();
    #back = element("a", { class: "back", "data-testid": "administration-back" },
        [text("administration.back")]);
    #navigation = element("nav", { "aria-label": text("administration.sections") });
    #title = element("h2", { tabindex: "-1", "data-testid": "administration-title" });
    #error = element("p", {
        class: "form-error", role: "alert", "data-testid": "administration-error",
    });
    #note = element("p", {
        class: "hint", role: "status", "data-testid": "administration-note",
    });
    #body = element("div", { class: "administration-body" });

    /** `context`: the page's `connection`, `user` and `models`. */
    constructor({ connection, user, models }) {
        this.#connection = connection;
        this.#context = {
            connection, user, models,
            act: (action) => this.#act(action),
            follow: (action) => this.#follow(action),
            say: (sentence) => setText(this.#note, sentence),
        };
        for (const name of sectionNames) {
            const link = element(
                "a", { href: addressOf(name), "data-section": name },
                [text(`administration.section.${name}`)]);
            this.#links.set(name, link);
        }
        this.#navigation.append(element(
            "ul", {}, [...this.#links.values()].map((link) => element("li", {}, [link]))));
        const head = element("header", { class: "administration-head" }, [
            element("h1", {}, [text("administration.title")]), this.#back, this.#navigation,
        ]);
        byId("workspace").append(element(
            "main", { class: "administration", "data-testid": "administration" },
            [head, element("div", { class: "administration-scroll" },
                [this.#title, this.#note, this.#error, this.#body])]));
        connection.addEventListener("welcome", () => this.#refresh());
    }

    /** Shows a place; `before` is the address to return to. */
    async show({ section, id, filters }, before) {
        this.close();
        this.#back.href = before;
        this.#navigation.hidden = !this.#context.user.admin;
        for (const [name, link] of this.#links) {
            if (name === section) link.setAttribute("aria-current", "page");
            else link.removeAttribute("aria-current");
        }
        this.#links.get(section).scrollIntoView({ block: "nearest", inline: "nearest" });
        if (!this.#context.user.admin) {
            this.#refuse();
            return;
        }
        const title = text(`administration.section.${section}`);
        this.#entitle(title);
        const box = element("div", { class: "administration-section", "data-testid": section });
        this.#box = box;
        this.#body.replaceChildren(box);
        await this.#follow(async () => {
            const module = await loaded(modules[section]);
            if (this.#box !== box) return;
            this.#section = module.show(box, this.#context, { id, filters });
            this.#refresh();
        });
    }

    /** Ends what the shown section does. */
    close() {
        this.#section?.close?.();
        this.#section = null;
        this.#box = null;
        this.#error.textContent = "";
        this.#note.textContent = "";
    }

    #entitle(title) {
        setText(this.#title, title);
        document.title = `${title} · Stoa`;
        this.#title.focus();
    }

    #refuse() {
        this.#entitle(text("administration.refused"));
        this.#body.replaceChildren(element("p", {}, [text("administration.refused.advice")]));
    }

    /** Loads what is shown; without a connection, as soon as there is one. */
    #refresh() {
        const section = this.#section;
        if (section && this.#connection.state === "live") this.#follow(() => section.refresh());
    }

    /** Runs an action, and shows why it failed. Returns whether it succeeded. */
    async #act(action) {
        this.#error.textContent = "";
        return await this.#follow(action);
    }

    /** Loads something, perhaps again and again: that it fails is told once, until it works. */
    async #follow(action) {
        const box = this.#box;
        try {
            await action();
            if (box === this.#box && this.#error.textContent) this.#error.textContent = "";
            return true;
        } catch (error) {
            if (box === this.#box && this.#error.textContent !== error.message) {
                setText(this.#error, error.message);
            }
            return false;
        }
    }
}

/** A module; without it, an error that says what to do. */
async function loaded(load) {
    try {
        return await load();
    } catch {
        throw new Error(text("administration.unloaded"));
    }
}
