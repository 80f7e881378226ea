// The audit log: who did what, the newest first, with filters.

import { element } from "../element.js";
import { text } from "../language.js";
import { actionOf } from "../sentences.js";
import { detailOf, preciseMomentOf, timeIn } from "./format.js";
import { Filters } from "./parts/filters.js";
import { PagedTable } from "./parts/table.js";
import { teamOptions } from "./parts/team-options.js";

/** What actions begin with. */
const kinds = ["user", "session", "key", "budget", "team", "conversation", "run", "transfer"];

/** Shows the log in `box`, with the filters of the address. */
export function show(box, { connection, act }, { filters: values }) {
    const filters = new Filters({
        section: "audit",
        label: text("administration.audit.filters"),
        values,
        changed: () => act(() => table.restart()),
        fields: [
            { name: "actor", label: text("administration.audit.actor"), maxlength: 200,
                autocapitalize: "none", spellcheck: "false" },
            { name: "action", label: text("administration.audit.action"), maxlength: 64,
                list: "administration-actions", autocapitalize: "none", spellcheck: "false",
                placeholder: text("administration.audit.action.all") },
            { name: "team", label: text("administration.team"),
                options: [["", text("administration.audit.team.all")],
                    ...(values.team ? [[values.team, values.team]] : [])] },
            { name: "from", label: text("administration.from"), type: "datetime-local" },
            { name: "to", label: text("administration.to"), type: "datetime-local" },
        ],
    });
    const table = new PagedTable({
        label: text("administration.section.audit"),
        none: text("administration.audit.none"),
        keyOf: ({ id }) => id,
        act,
        load: async (cursor) => {
            const { actor, action, team, from, to } = filters.values;
            const page = await connection.request("audit.list", {
                cursor, actor: actor || undefined, action: action || undefined,
                team: team || undefined, from: timeIn(from), to: timeIn(to),
            });
            return { rows: page.entries, cursor: page.cursor };
        },
        columns: [
            { title: text("administration.time"), cell: ({ at }) => element(
                "time", { datetime: at }, [preciseMomentOf(at)]) },
            { title: text("administration.audit.actor"), cell: ({ actor }) => actor.name },
            { title: text("administration.audit.action"), cell: ({ action }) => [
                `${actionOf(action)} `, element("code", { class: "hint" }, [action])] },
            { title: text("administration.audit.object"), cell: ({ object }) => object },
            { title: text("administration.audit.detail"), cell: ({ detail }) => detailOf(detail) },
        ],
    });
    box.append(
        filters.node,
        element("datalist", { id: "administration-actions" },
            kinds.map((value) => element("option", { value }))),
        table.node);
    const teams = filters.node.querySelector("[data-filter=team]");
    return {
        refresh: () => Promise.all([table.refresh(), teamOptions(connection, teams)]),
        close: () => filters.close(),
    };
}
