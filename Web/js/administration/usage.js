// What was used: tokens by day as a chart, with the table behind it, and by user.

import { element } from "../element.js";
import { text } from "../language.js";
import { dayOf, figureOf } from "./format.js";
import { addressOf } from "./place.js";
import { usageChart } from "./parts/chart.js";
import { Filters } from "./parts/filters.js";
import { teamOptions } from "./parts/team-options.js";
import { dayAfter, daysBetween, sumsByDay, sumsByUser, totalOf } from "./usage-figures.js";

/** The ledger's days that are read: 200 on each page. */
const pagesMax = 30;
const shownDays = 30;
const daysMax = 400;

/** Shows the use in `box`, with the filters of the address. */
export function show(box, { connection, follow, act }, { filters: values }) {
    const today = dayAfter(Date.now(), 0);
    const result = element("div", { "data-testid": "usage-result" });
    let turn = 0;
    const load = async () => {
        const own = ++turn;
        const { team, from, to } = filters.values;
        const range = { from: from || dayAfter(Date.now(), 1 - shownDays), to: to || today };
        const { entries, isCut } = await entriesOf(connection, { team: team || undefined, ...range });
        if (own === turn) result.replaceChildren(...drawn(entries, range, isCut));
    };
    const filters = new Filters({
        section: "usage",
        label: text("administration.usage.filters"),
        values: { from: dayAfter(Date.now(), 1 - shownDays), to: today, ...values },
        changed: () => act(load),
        fields: [
            { name: "from", label: text("administration.from"), type: "date", max: today },
            { name: "to", label: text("administration.to"), type: "date", max: today },
            { name: "team", label: text("administration.team"),
                options: [["", text("administration.usage.team.all")],
                    ...(values.team ? [[values.team, values.team]] : [])] },
        ],
    });
    box.append(filters.node, result);
    const teams = filters.node.querySelector("[data-filter=team]");
    return {
        refresh: () => Promise.all([load(), follow(() => teamOptions(connection, teams))]),
        close: () => filters.close(),
    };
}

/** All entries of the ledger in a range, as `{entries, isCut}`. */
async function entriesOf(connection, filter) {
    const entries = [];
    let cursor;
    let pages = 0;
    do {
        const page = await connection.request("usage.list", { ...filter, cursor, limit: 200 });
        entries.push(...page.days);
        ({ cursor } = page);
        pages += 1;
    } while (cursor && pages < pagesMax);
    return { entries, isCut: Boolean(cursor) };
}

function drawn(entries, { from, to }, isCut) {
    const days = sumsByDay(entries, daysBetween(from, to, daysMax));
    const users = sumsByUser(entries);
    const { used, answers } = totalOf(users);
    const lead = text("administration.usage.total", {
        used, answers, from: dayOf(from), to: dayOf(to),
    });
    return [
        element("p", { "data-testid": "usage-total" }, [lead]),
        ...(isCut ? [element("p", { class: "form-error" }, [text("administration.usage.cut")])] : []),
        usageChart(days, lead),
        element("details", { "data-testid": "usage-days" }, [
            element("summary", {}, [text("administration.usage.table")]),
            table(text("administration.usage.day"), days.toReversed(), ({ day }) => dayOf(day)),
        ]),
        element("h3", {}, [text("administration.usage.users")]),
        table(text("administration.user"), users, holderOf),
    ];
}

/** The server's own work has no user, a deleted user no name. */
function holderOf({ user, name }) {
    if (user === null) return text("administration.usage.server");
    if (name === null) return text("administration.usage.deleted");
    return element("a", { href: addressOf("users", name), dir: "auto" }, [name]);
}

function table(title, sums, nameOf) {
    const titles = [title, text("administration.usage.tokens"), text("administration.usage.answers")];
    const row = (sum) => element("tr", { role: "row" }, [
        element("th", { scope: "row", role: "rowheader", "data-label": titles[0] }, [nameOf(sum)]),
        ...[sum.used, sum.answers].map((value, index) => element(
            "td", { role: "cell", class: "figure", "data-label": titles[index + 1] },
            [figureOf(value)])),
    ]);
    return element("table", { class: "data", role: "table", "aria-label": title }, [
        element("thead", { role: "rowgroup" }, [element("tr", { role: "row" }, titles.map(
            (words, index) => element("th", {
                scope: "col", role: "columnheader", class: index > 0 ? "figure" : null,
            }, [words])))]),
        element("tbody", { role: "rowgroup" }, sums.map(row)),
    ]);
}
