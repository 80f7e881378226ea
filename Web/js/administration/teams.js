// All teams of the server.

import { element } from "../element.js";
import { text } from "../language.js";
import { figureOf, limitOf, momentOf } from "./format.js";
import { addressOf } from "./place.js";
import { Filters } from "./parts/filters.js";
import { PagedTable } from "./parts/table.js";
import { retentionOf, showTeam } from "./team.js";

/** Shows all teams in `box`, or the one that the address names. */
export function show(box, context, { id, filters: values }) {
    if (id) return showTeam(box, context, id);
    const { connection, act } = context;
    const filters = new Filters({
        section: "teams",
        label: text("administration.teams.filters"),
        values,
        changed: () => act(() => table.restart()),
        fields: [{ name: "query", label: text("administration.teams.query"), type: "search",
            maxlength: 200, spellcheck: "false" }],
    });
    const table = new PagedTable({
        label: text("administration.section.teams"),
        none: text("administration.teams.none"),
        keyOf: (team) => team.id,
        act,
        load: async (cursor) => {
            const query = filters.values.query || undefined;
            const page = await connection.request("server.teams", { cursor, query });
            return { rows: page.teams, cursor: page.cursor };
        },
        columns: [
            { title: text("administration.name"), cell: (team) => element(
                "a", { href: addressOf("teams", team.id), dir: "auto" }, [team.name]) },
            { title: text("administration.teams.members"), isFigure: true,
                cell: ({ members }) => figureOf(members) },
            { title: text("administration.teams.daily"), isFigure: true,
                cell: ({ daily }) => limitOf(daily) },
            { title: text("administration.teams.monthly"), isFigure: true,
                cell: ({ monthly }) => limitOf(monthly) },
            { title: text("administration.teams.retention"), cell: retentionOf },
            { title: text("administration.created"),
                cell: ({ created_at: time }) => momentOf(time) },
        ],
    });
    box.append(
        element("div", { class: "controls" }, [filters.node]), table.node,
        element("p", { class: "hint" }, [text("administration.teams.new")]));
    return { refresh: () => table.refresh(), close: () => filters.close() };
}
