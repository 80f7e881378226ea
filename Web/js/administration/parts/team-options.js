// All teams, as the options of a filter.

import { element } from "../../element.js";

/** The most teams that are offered. */
const pagesMax = 5;

/** Adds all teams to a select that may have one of them already, by its id alone. */
export async function teamOptions(connection, select) {
    const teams = [];
    let cursor;
    let pages = 0;
    do {
        const page = await connection.request("server.teams", { cursor, limit: 200 });
        teams.push(...page.teams);
        ({ cursor } = page);
        pages += 1;
    } while (cursor && pages < pagesMax);
    const { value } = select;
    const isKnown = value === "" || teams.some(({ id }) => id === value);
    const kept = [...select.options].slice(0, isKnown ? 1 : 2);
    select.replaceChildren(...kept, ...teams.map(
        ({ id, name }) => element("option", { value: id }, [name])));
    select.value = value;
}
