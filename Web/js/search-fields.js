// Converts the search field and its filters to a request. Days are in the user's time zone.

/**
 * The fields of `search`; null without a query. `where` is "" for everything, "conversation" for
 * the open one, whose id is `conversation`, or a team's id; `from` and `to` are dates of date
 * fields, both inclusive.
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

/** The number of active filters. */
export function filterCountOf({ author, where, from, to }) {
    return [author.trim(), where, from, to].filter((value) => value !== "").length;
}

/** The start of the day `daysAfter` days after `date`, in the local time zone. */
function beginningOf(date, daysAfter) {
    const [year, month, day] = date.split("-").map(Number);
    return new Date(year, month - 1, day + daysAfter).toISOString();
}
