// All accounts: finding one, and making another.

import { element } from "../element.js";
import { text } from "../language.js";
import { figureOf, momentOf, roleOf, stateOf } from "./format.js";
import { addressOf } from "./place.js";
import { askForm, labelled } from "./parts/dialog.js";
import { Filters } from "./parts/filters.js";
import { showLink } from "./parts/secret.js";
import { PagedTable } from "./parts/table.js";
import { showUser } from "./user.js";

/** Shows all accounts in `box`, or the one that the address names. */
export function show(box, context, { id, filters: values }) {
    if (id) return showUser(box, context, id);
    const { connection, act } = context;
    const filters = new Filters({
        section: "users",
        label: text("administration.users.filters"),
        values,
        changed: () => act(() => table.restart()),
        fields: [{ name: "query", label: text("administration.users.query"), type: "search",
            maxlength: 200, autocapitalize: "none", spellcheck: "false" }],
    });
    const table = new PagedTable({
        label: text("administration.section.users"),
        none: text("administration.users.none"),
        keyOf: (user) => user.id,
        act,
        load: async (cursor) => {
            const query = filters.values.query || undefined;
            const page = await connection.request("user.list", { cursor, query });
            return { rows: page.users, cursor: page.cursor };
        },
        columns: [
            { title: text("administration.name"), cell: ({ name }) => element(
                "a", { href: addressOf("users", name), dir: "auto" }, [name]) },
            { title: text("administration.role"), cell: roleOf },
            { title: text("administration.state"), cell: stateOf },
            { title: text("administration.users.sessions"), isFigure: true,
                cell: ({ sessions }) => figureOf(sessions) },
            { title: text("administration.users.seen"), cell: ({ seen_at: time }) => (
                time ? momentOf(time) : text("administration.never")) },
            { title: text("administration.created"),
                cell: ({ created_at: time }) => momentOf(time) },
        ],
    });
    const make = element("button", { type: "button", class: "primary", "data-testid": "user-new" },
        [text("administration.users.new")]);
    make.addEventListener("click", async () => {
        const made = await askNewUser(connection);
        if (!made) return;
        await showLink(made);
        await act(() => table.refresh());
    });
    box.append(element("div", { class: "controls" }, [filters.node, make]), table.node);
    return { refresh: () => table.refresh(), close: () => filters.close() };
}

/** Asks for a new account; resolves to `{user, link, expires_at}`, or undefined. */
function askNewUser(connection) {
    const name = labelled({
        label: text("administration.users.new.name"), required: true, maxlength: 200,
        autocapitalize: "none", spellcheck: "false", "data-testid": "user-new-name",
    });
    const box = element("input", { type: "checkbox", "data-testid": "user-new-admin" });
    return askForm({
        heading: text("administration.users.new"),
        lead: text("administration.users.new.lead"),
        content: [...name.nodes, element("label", { class: "check" },
            [box, text("administration.users.new.admin")])],
        agree: text("administration.users.new.agree"),
        act: () => connection.request(
            "user.create", { name: name.input.value.trim(), admin: box.checked }),
    });
}
