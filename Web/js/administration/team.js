// One team of the server: its members and roles, its budget and use, how long it keeps conversations,
// and deleting it.

import { element, setAttribute, setText } from "../element.js";
import { text } from "../language.js";
import { momentOf } from "./format.js";
import { addressOf } from "./place.js";
import { BudgetPart } from "./parts/budget.js";
import { askAgreement, askForm, askTyped, labelled } from "./parts/dialog.js";
import { PagedTable } from "./parts/table.js";

const roles = ["owner", "admin", "member", "viewer"];

/** How long a team keeps conversations in which nothing happens. */
export function retentionOf({ retention_days: days }) {
    return days ? text("administration.span.days", { count: days })
        : text("administration.teams.forever");
}

/** Shows the team `id` in `box`. */
export function showTeam(box, context, id) {
    const page = new TeamPage(box, context, id);
    return { refresh: () => page.refresh() };
}

class TeamPage {
    #context;
    #connection;
    #id;
    #team = null;
    #heading = element("h3", { class: "name", dir: "auto" });
    #retention = element("p", { "data-testid": "retention" });
    #retentionButton = element("button", {
        type: "button", hidden: true, "data-testid": "retention-change",
    }, [text("administration.teams.retention.change")]);
    #budget = null;
    #budgetBox = element("div");
    #members;

    constructor(box, context, id) {
        this.#context = context;
        this.#connection = context.connection;
        this.#id = id;
        this.#members = new PagedTable({
            label: text("administration.teams.members"),
            none: text("administration.teams.members.none"),
            keyOf: ({ user }) => user.id,
            act: context.act,
            load: (cursor) => this.#loadMembers(cursor),
            columns: [
                { title: text("administration.name"), cell: ({ user }) => element(
                    "a", { href: addressOf("users", user.name), dir: "auto" }, [user.name]) },
                { title: text("administration.role"), cell: (member) => this.#roleChooser(member) },
                { title: text("administration.teams.joined"),
                    cell: ({ joined_at: time }) => momentOf(time) },
                { title: text("administration.actions"), cell: ({ user }) => this.#removeButton(user) },
            ],
        });
        const remove = element(
            "button", { type: "button", class: "danger", "data-testid": "team-delete" },
            [text("administration.teams.delete")]);
        remove.addEventListener("click", () => this.#delete());
        this.#retentionButton.addEventListener("click", () => this.#askRetention());
        box.append(
            element("p", {}, [element("a", { href: addressOf("teams") },
                [text("administration.teams.all")])]),
            this.#heading,
            element("div", { class: "controls" }, [
                element("a", { href: addressOf("usage", null, { team: id }) },
                    [text("administration.teams.usage")]),
                element("a", { href: addressOf("audit", null, { team: id }) },
                    [text("administration.teams.audit")]),
                remove,
            ]),
            element("h3", {}, [text("administration.teams.members")]), this.#members.node,
            element("h3", {}, [text("administration.budget.title")]), this.#budgetBox,
            element("h3", {}, [text("administration.teams.retention")]),
            this.#retention, this.#retentionButton);
    }

    async refresh() {
        await this.#members.refresh();
        if (!this.#budget) {
            this.#budget = new BudgetPart(this.#context, {
                hint: text("administration.budget.team"),
                ownerOf: () => ({ team: this.#id }),
                name: this.#team.name,
            });
            this.#budgetBox.append(this.#budget.node);
        }
        await this.#budget.refresh();
    }

    async #loadMembers(cursor) {
        const page = await this.#connection.request("server.team", { team: this.#id, cursor });
        this.#team = page.team;
        setText(this.#heading, page.team.name);
        this.#drawRetention(page.members);
        return { rows: page.members, cursor: page.cursor };
    }

    /** How long a team keeps conversations is the matter of those who lead it. */
    #drawRetention(members) {
        const own = [...this.#members.rows, ...members].find(
            ({ user }) => user.id === this.#context.user.id);
        const isLeader = own?.role === "owner" || own?.role === "admin";
        const words = retentionOf(this.#team);
        setText(this.#retention, isLeader ? words
            : `${words}. ${text("administration.teams.retention.whose")}`);
        this.#retentionButton.hidden = !isLeader;
    }

    #roleChooser({ user, role }) {
        const chooser = element("select", { "data-testid": "member-role" }, roles.map(
            (value) => element("option", { value, selected: value === role },
                [text(`administration.teams.role.${value}`)])));
        setAttribute(chooser, "aria-label", text("administration.teams.role.of", {
            name: user.name,
        }));
        chooser.addEventListener("change", async () => {
            const isDone = await this.#context.act(() => this.#setMember(user, chooser.value));
            if (!isDone) chooser.value = role;
        });
        return chooser;
    }

    #removeButton(user) {
        const button = element("button", { type: "button", class: "danger" },
            [text("administration.teams.remove")]);
        setAttribute(button, "aria-label", text("administration.teams.remove.of", {
            name: user.name,
        }));
        button.addEventListener("click", async () => {
            const { name } = user;
            await askAgreement({
                heading: text("administration.teams.remove.heading", {
                    name, team: this.#team.name,
                }),
                lead: text("administration.teams.remove.lead"),
                agree: text("administration.teams.remove"),
                act: () => this.#setMember(user),
            });
        });
        return button;
    }

    /** Gives a member another role; without one, removes them. */
    async #setMember(user, role) {
        await this.#connection.request(
            "server.team.member", { team: this.#id, user: user.id, role });
        const { name } = user;
        this.#context.say(role
            ? text("administration.teams.role.done", {
                name, role: text(`administration.teams.role.${role}`),
            })
            : text("administration.teams.removed", { name }));
        await this.#members.refresh();
    }

    async #askRetention() {
        const field = labelled({
            label: text("administration.teams.retention.days"), type: "number", min: "1",
            max: "36500", inputmode: "numeric", value: this.#team.retention_days ?? "",
            "data-testid": "retention-days",
        });
        const isDone = await askForm({
            heading: text("administration.teams.retention"),
            lead: text("administration.teams.retention.lead"),
            content: field.nodes,
            agree: text("administration.save"),
            act: () => this.#connection.request("team.retention", {
                team: this.#id, days: field.input.value ? Number(field.input.value) : undefined,
            }),
        });
        if (isDone) await this.#context.act(() => this.refresh());
    }

    async #delete() {
        const { name } = this.#team;
        const isDone = await askTyped({
            heading: text("administration.teams.delete.heading", { name }),
            lead: text("administration.teams.delete.lead"),
            word: name,
            agree: text("administration.teams.delete"),
            act: () => this.#connection.request("server.team.delete", { team: this.#id }),
        });
        if (isDone) location.hash = addressOf("teams");
    }
}
