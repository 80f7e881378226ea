// What links bring along. Their tokens stand behind the `#`, which no browser sends to a server, so
// that they are in nobody's logs; and they are taken out of the address, so that they are in no history.

/** What a link may be for, by the name that stands in it. */
const purposes = ["sign-up", "reset", "team-invite"];

/** Reads a link: `{purpose, token}`, or null where it is none of ours. `hash` is as in `location`. */
export function linkOf(hash) {
    const fields = new URLSearchParams(hash.slice(1));
    for (const purpose of purposes) {
        const token = fields.get(purpose);
        if (token) return { purpose, token };
    }
    return null;
}

/** Takes the link out of the page's address; null where there is none. */
export function takeLink() {
    const link = linkOf(location.hash);
    if (link) history.replaceState(null, "", location.pathname);
    return link;
}
