// What the search field and its filters ask of the server. Days are those of the reader's own clock.

/**
 * The fields of `search`; null where nothing is looked for. `where` is "" for everywhere, "conversation"
 * for the open one, whose id `conversation` is, or a team's id; `from` and `to` are dates as a date
 * field has them, both included.
 */
export function searchFieldsOf({ query, author, where, from, to, conversation }) {
    const words = query.trim();
    if (words === "") return null;
    const fields = { query: words };
    if (author.trim() !== "") fields.author = author.trim();
    if (where === "conversation" && conversation) fields.conversation = conversation;
    else if (where !== "" && where !== "conversation") fields.team = where;
    if (from !== "") fields.from = beginningOf(from, 0);
    if (to !== "") fields.to = beginningOf(to, 1);
    return fields;
}

/** How many filters are set. */
export function filterCountOf({ author, where, from, to }) {
    return [author.trim(), where, from, to].filter((value) => value !== "").length;
}

/** When a day begins here, so many days after `date`. */
function beginningOf(date, daysAfter) {
    const [year, month, day] = date.split("-").map(Number);
    return new Date(year, month - 1, day + daysAfter).toISOString();
}
