// Where the administration is in the page's address: "#administration/users/ann", and for filters
// "#administration/audit?actor=ann". Pure functions.

/** The sections, in the order of the navigation. */
export const sectionNames = [
    "overview", "users", "teams", "usage", "runs", "models", "audit", "holds",
];

/**
 * The place that an address names, as `{section, id, filters}`: `id` is null for the whole section,
 * `filters` an object of texts. Null if it is no address of the administration. An unknown section
 * is the overview.
 */
export function placeOf(hash) {
    const [path, query = ""] = split(hash.replace(/^#/u, ""), "?");
    const [root, name, ...rest] = path.split("/");
    if (root !== "administration") return null;
    return {
        section: sectionNames.includes(name) ? name : "overview",
        id: decoded(rest.join("/")) || null,
        filters: Object.fromEntries(new URLSearchParams(query)),
    };
}

/** The address of a place; without an id, of the section. Empty filters are left out. */
export function addressOf(section, id = null, filters = {}) {
    const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value));
    const path = ["#administration", section, ...(id ? [encodeURIComponent(id)] : [])].join("/");
    return query.size > 0 ? `${path}?${query}` : path;
}

function split(text, separator) {
    const at = text.indexOf(separator);
    return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return "";
    }
}
