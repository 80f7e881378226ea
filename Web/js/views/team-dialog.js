// One team: its members and roles, its open conversations, and leaving it.

import { exportScopeAddress } from "../backend.js";
import { byId, element, setAttribute, setText } from "../element.js";
import { text } from "../language.js";
import { initials, openConversationNoteOf, roleOf, teamNoteOf, titleOf } from "../wording.js";
import { confirmed, drawRows } from "./dialogs.js";
import { followDownloads } from "./downloads.js";
import { TeamLinks } from "./team-links.js";
import { TeamRetention } from "./team-retention.js";
import { showToast } from "./toast.js";

const pageCount = 50;
const roles = ["owner", "admin", "member", "viewer"];

/** The dialog of a team. Dispatches "open-conversation" (detail: an id). */
export class TeamDialog extends EventTarget {
    #connection;
    #teams;
    #user;
    #links;
    #retention;
    /** The part for owners and admins, once one was needed. */
    #management = null;
    #export = element("a", { class: "choice", download: true, "data-testid": "team-export" }, [
        element("strong", {}, [text("export.team")]), element("span", {}, [text("export.team.for")]),
    ]);
    #team = null;
    #members = [];
    #conversations = [];
    /** The cursors of the next pages; null if all is loaded. */
    #cursors = { members: null, conversations: null };

    constructor(connection, teams, user) {
        super();
        this.#connection = connection;
        this.#teams = teams;
        this.#user = user;
        this.#links = new TeamLinks(connection);
        this.#retention = new TeamRetention(connection);
        const exports = element("div", {}, [this.#export]);
        byId("team-note").before(exports);
        followDownloads(exports);
        byId("team-members-more").addEventListener("click", () => this.#do(
            () => this.#loadMembers(this.#cursors.members)));
        byId("team-conversations-more").addEventListener("click", () => this.#do(
            () => this.#loadConversations(this.#cursors.conversations)));
        byId("team-leave").addEventListener("click", () => this.#leave());
        byId("team-dialog").addEventListener("close", () => this.#links.forget());
        teams.addEventListener("updated", ({ detail }) => this.#follow(detail));
    }

    /** Opens it for a team. */
    open(team) {
        this.#team = team;
        this.#members = [];
        this.#conversations = [];
        this.#cursors = { members: null, conversations: null };
        byId("team-note").textContent = "";
        this.#links.begin(team);
        this.#retention.close();
        this.#management?.hide();
        this.#draw();
        if (!byId("team-dialog").open) byId("team-dialog").showModal();
        this.#do(() => this.#load());
    }

    /** Called for a team's event: reloads its dialog, or closes it. */
    #follow(id) {
        if (!byId("team-dialog").open || this.#team.id !== id) return;
        if (this.#teams.get(id)) {
            this.#do(() => this.#load());
            return;
        }
        byId("team-dialog").close();
        showToast(text("team.left", { name: this.#team.name }));
    }

    async #load() {
        await Promise.all([this.#loadMembers(), this.#loadConversations()]);
        if (!this.#manages) return;
        const { TeamManagement } = await import("./team-management.js");
        this.#management ??= new TeamManagement(this.#connection);
        this.#drawManagement();
        await this.#links.open(this.#team);
    }

    #drawManagement() {
        if (this.#manages) this.#management?.show(this.#team);
        else this.#management?.hide();
    }

    /** Whether this user may change its members. */
    get #manages() {
        return this.#team.role === "owner" || this.#team.role === "admin";
    }

    async #loadMembers(cursor) {
        const { id } = this.#team;
        const page = await this.#connection.request(
            "team.get", { team: id, cursor, limit: pageCount });
        if (this.#team.id !== id) return;
        this.#team = page.team;
        this.#members = cursor ? [...this.#members, ...page.members] : page.members;
        this.#cursors.members = page.cursor ?? null;
        this.#draw();
    }

    async #loadConversations(cursor) {
        const { id } = this.#team;
        const page = await this.#connection.request(
            "team.conversations", { team: id, cursor, limit: pageCount });
        if (this.#team.id !== id) return;
        const { conversations } = page;
        this.#conversations = cursor ? [...this.#conversations, ...conversations] : conversations;
        this.#cursors.conversations = page.cursor ?? null;
        this.#draw();
    }

    #draw() {
        setText(byId("team-heading"), this.#team.name);
        setText(byId("team-lead"), teamNoteOf(this.#team));
        byId("team-links").hidden = !this.#manages;
        this.#export.hidden = !this.#manages;
        this.#export.href = exportScopeAddress(`team:${this.#team.id}`);
        this.#retention.show(this.#team, this.#manages);
        this.#drawManagement();
        drawRows(
            byId("team-members"), this.#members.map((member) => this.#memberRow(member)),
            byId("team-done"));
        drawRows(
            byId("team-conversations"),
            this.#conversations.map((conversation) => this.#conversationRow(conversation)),
            byId("team-done"));
        byId("team-members-more").hidden = this.#cursors.members === null;
        byId("team-conversations-more").hidden = this.#cursors.conversations === null;
        byId("team-conversations-none").hidden = this.#conversations.length > 0;
    }

    #memberRow({ user, role }) {
        const isSelf = user.id === this.#user.id;
        // Admins manage everybody except owners, and cannot appoint owners.
        const isMine = this.#team.role === "owner" || (this.#manages && role !== "owner");
        const parts = [
            element("span", { class: "avatar", "aria-hidden": "true" }, [initials(user.name)]),
            element("span", { class: "what" }, [
                element("span", { class: "name" }, [
                    isSelf ? text("people.self", { name: user.name }) : user.name]),
                ...(isMine ? [] : [element("span", { class: "about" }, [roleOf(role)])]),
            ]),
        ];
        if (isMine) parts.push(this.#roleChooser(user, role));
        if (isMine && !isSelf) parts.push(this.#removeButton(user));
        return element("li", { "data-testid": "team-member", "data-user-name": user.name }, parts);
    }

    #roleChooser(user, role) {
        const offered = this.#team.role === "owner" ? roles : roles.slice(1);
        const chooser = element("select", { "data-testid": "team-role" }, offered.map(
            (value) => element("option", { value, selected: value === role }, [roleOf(value)])));
        setAttribute(chooser, "aria-label", text("team.role.of", { name: user.name }));
        chooser.addEventListener("change", () => this.#change(user, chooser.value));
        return chooser;
    }

    #removeButton(user) {
        const button = element("button", { type: "button", class: "danger" }, [text("common.remove")]);
        setAttribute(button, "aria-label", text("team.remove.of", { name: user.name }));
        button.addEventListener("click", () => this.#remove(user));
        return button;
    }

    #conversationRow({ conversation, title, joined, ...facts }) {
        const label = joined ? text("common.open") : text("common.join");
        const button = element("button", { type: "button" }, [label]);
        const named = { title: titleOf({ title }) };
        setAttribute(button, "aria-label",
            joined ? text("team.open.of", named) : text("team.join.of", named));
        button.addEventListener("click", () => this.#enter(conversation, joined));
        return element("li", { "data-testid": "open-conversation" }, [
            element("span", { class: "what" }, [
                element("span", { class: "name", dir: "auto" }, [titleOf({ title })]),
                element("span", { class: "about" }, [openConversationNoteOf(facts)]),
            ]),
            button,
        ]);
    }

    async #change(user, role) {
        await this.#do(async () => {
            await this.#connection.request(
                "team.member.update", { team: this.#team.id, user: user.id, role });
            setText(byId("team-note"), text("team.role.changed", {
                name: user.name, role: roleOf(role),
            }));
        });
        // After a refusal the actual state is shown again.
        await this.#do(() => this.#loadMembers());
    }

    async #remove(user) {
        const isAgreed = await confirmed({
            heading: text("team.remove.heading", { name: user.name }),
            text: text("team.remove.text"),
            agree: text("common.remove"),
        });
        if (!isAgreed) return;
        await this.#do(async () => {
            await this.#connection.request(
                "team.member.remove", { team: this.#team.id, user: user.id });
            setText(byId("team-note"), text("team.removed", { name: user.name }));
            await this.#loadMembers();
        });
    }

    async #leave() {
        const isAgreed = await confirmed({
            heading: text("team.leave.heading", { name: this.#team.name }),
            text: text("team.leave.text"),
            agree: text("common.leave"),
        });
        if (!isAgreed) return;
        await this.#do(async () => {
            await this.#connection.request(
                "team.member.remove", { team: this.#team.id, user: this.#user.id });
            byId("team-dialog").close();
            await this.#teams.refresh();
        });
    }

    async #enter(conversation, isJoined) {
        await this.#do(async () => {
            if (!isJoined) await this.#connection.request("conversation.join", { conversation });
            byId("team-dialog").close();
            this.dispatchEvent(new CustomEvent("open-conversation", { detail: conversation }));
        });
    }

    async #do(action) {
        byId("team-error").textContent = "";
        try {
            await action();
        } catch (error) {
            setText(byId("team-error"), error.message);
        }
    }
}
