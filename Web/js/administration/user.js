// One account: its state and rights, its budget and use, its sign-ins, and deleting it.

import { element, setAttribute } from "../element.js";
import { text } from "../language.js";
import { deviceOf } from "../wording.js";
import { momentOf, roleOf, stateOf } from "./format.js";
import { addressOf } from "./place.js";
import { askAgreement, askTyped } from "./parts/dialog.js";
import { BudgetPart } from "./parts/budget.js";
import { showLink } from "./parts/secret.js";
import { PagedTable } from "./parts/table.js";

/** Shows the account named `name` in `box`. */
export function showUser(box, context, name) {
    const page = new UserPage(box, context, name);
    return { refresh: () => page.refresh() };
}

class UserPage {
    #context;
    #connection;
    #name;
    #user = null;
    #facts = element("dl", { class: "facts", "data-testid": "user-facts" });
    #tools = element("div", { class: "controls", "data-testid": "user-tools" });
    #budget;
    #sessions;

    constructor(box, context, name) {
        this.#context = context;
        this.#connection = context.connection;
        this.#name = name;
        this.#budget = new BudgetPart(context, {
            hint: text("administration.budget.user"),
            ownerOf: () => ({ user: this.#user.id }),
            name,
        });
        this.#sessions = new PagedTable({
            label: text("administration.users.sessions"),
            none: text("administration.users.sessions.none"),
            keyOf: ({ id }) => id,
            act: context.act,
            load: () => this.#loadSessions(),
            columns: [
                { title: text("administration.users.device"), cell: ({ device }) => element(
                    "span", { title: device }, [deviceOf(device)]) },
                { title: text("administration.users.used"),
                    cell: ({ last_used_at: time }) => momentOf(time) },
                { title: text("administration.created"),
                    cell: ({ created_at: time }) => momentOf(time) },
                { title: text("administration.users.ends"),
                    cell: ({ expires_at: time }) => momentOf(time) },
                { title: text("administration.actions"), cell: (session) => this.#endButton(session) },
            ],
        });
        box.append(
            element("p", {}, [element("a", { href: addressOf("users") },
                [text("administration.users.all")])]),
            element("h3", { class: "name", dir: "auto" }, [name]),
            this.#facts, this.#tools,
            element("h3", {}, [text("administration.budget.title")]), this.#budget.node,
            element("h3", {}, [text("administration.users.sessions")]), this.#sessions.node);
    }

    async refresh() {
        this.#user = await this.#find();
        this.#drawFacts();
        this.#drawTools();
        await Promise.all([this.#budget.refresh(), this.#sessions.refresh()]);
    }

    /** The account of that name, among those whose names contain it. */
    async #find() {
        let cursor;
        do {
            const page = await this.#connection.request(
                "user.list", { query: this.#name, cursor, limit: 200 });
            const found = page.users.find(({ name }) => name === this.#name);
            if (found) return found;
            ({ cursor } = page);
        } while (cursor);
        throw new Error(text("administration.users.unknown", { name: this.#name }));
    }

    async #loadSessions() {
        const { sessions } = await this.#connection.request(
            "user.sessions", { user: this.#user.id });
        return { rows: sessions };
    }

    #drawFacts() {
        const { created_at: created, seen_at: seen } = this.#user;
        const facts = [
            ["administration.role", roleOf(this.#user)],
            ["administration.state", stateOf(this.#user)],
            ["administration.created", momentOf(created)],
            ["administration.users.seen", seen ? momentOf(seen) : text("administration.never")],
        ];
        this.#facts.replaceChildren(...facts.flatMap(([key, value]) => [
            element("dt", {}, [text(key)]), element("dd", {}, [value])]));
    }

    #drawTools() {
        const { id, admin, disabled } = this.#user;
        const isSelf = id === this.#context.user.id;
        const buttons = [
            ["reset", () => this.#reset()],
            [disabled ? "enable" : "disable", () => this.#change({ disabled: !disabled })],
            [admin ? "demote" : "promote", () => this.#change({ admin: !admin })],
            ["end-all", () => this.#endAll()],
            // One's own account is deleted with its password, in the dialog of the account.
            ...(isSelf ? [] : [["delete", () => this.#delete()]]),
        ];
        const focused = [...this.#tools.children].indexOf(document.activeElement);
        this.#tools.replaceChildren(...buttons.map(([name, action]) => {
            const isDanger = ["disable", "delete"].includes(name);
            const button = element("button", {
                type: "button", class: isDanger ? "danger" : null, "data-testid": `user-${name}`,
            }, [text(`administration.users.${name}`)]);
            button.addEventListener("click", action);
            return button;
        }));
        // Each button keeps its place: the same one, or its opposite, has the focus.
        if (focused >= 0) this.#tools.children[focused].focus();
    }

    async #reset() {
        const reply = await askAgreement({
            heading: text("administration.users.reset.heading", { name: this.#name }),
            lead: text("administration.users.reset.lead"),
            agree: text("administration.users.reset.agree"),
            isDanger: false,
            act: () => this.#connection.request("user.reset", { user: this.#user.id }),
        });
        if (reply) await showLink(reply);
    }

    /** Changes rights at once, except taking some away, which is asked for. */
    async #change(change) {
        const name = this.#name;
        const act = () => this.#connection.request(
            "user.update", { user: this.#user.id, ...change });
        const [[kind, value]] = Object.entries(change);
        const key = kind === "admin" ? (value ? "promote" : "demote") : (value ? "disable" : "enable");
        const isTaken = key === "disable" || key === "demote";
        const isDone = isTaken
            ? await askAgreement({
                heading: text(`administration.users.${key}.heading`, { name }),
                lead: text(`administration.users.${key}.lead`),
                agree: text(`administration.users.${key}`),
                act,
            })
            : await this.#context.act(act);
        if (!isDone) return;
        await this.#context.act(() => this.refresh());
        this.#context.say(text(`administration.users.${key}.done`, { name }));
    }

    #endButton(session) {
        const device = deviceOf(session.device);
        const button = element("button", { type: "button", class: "danger" },
            [text("administration.users.end")]);
        setAttribute(button, "aria-label", text("administration.users.end.on", { device }));
        button.addEventListener("click", () => this.#end(session.id));
        return button;
    }

    async #endAll() {
        const isAgreed = await askAgreement({
            heading: text("administration.users.end-all.heading", { name: this.#name }),
            lead: text("administration.users.end-all.lead"),
            agree: text("administration.users.end-all"),
            act: () => true,
        });
        if (isAgreed) await this.#end();
    }

    async #end(session) {
        await this.#context.act(async () => {
            const { ended } = await this.#connection.request(
                "user.sessions.revoke", { user: this.#user.id, session });
            this.#context.say(text("administration.users.ended", { count: ended }));
            await this.refresh();
        });
    }

    async #delete() {
        const isDone = await askTyped({
            heading: text("administration.users.delete.heading", { name: this.#name }),
            lead: text("administration.users.delete.lead"),
            word: this.#name,
            agree: text("administration.users.delete"),
            act: () => this.#connection.request("user.delete", { user: this.#user.id }),
        });
        if (isDone) location.hash = addressOf("users");
    }
}
