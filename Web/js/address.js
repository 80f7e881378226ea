// What links bring along. Their tokens stand behind the `#`, which no browser sends to a server, so
// that they are in nobody's logs; and they are taken out of the address, so that they are in no history.

import { readValue, writeValue } from "./tab-storage.js";

const placeName = "stoa.place";

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

/** Takes the word out of the address by which the server says why nobody was signed in; null for none. */
export function takeSignInFailure() {
    const failure = new URLSearchParams(location.hash.slice(1)).get("sign-in-failed");
    if (failure) history.replaceState(null, "", location.pathname);
    return failure;
}

/** Keeps where one wants to be (what stands behind the `#`) while one signs in elsewhere. */
export function keepPlace(fragment) {
    writeValue(placeName, fragment);
}

/** Puts back what `keepPlace` kept, once, where the address names no other place. */
export function takePlace() {
    const fragment = readValue(placeName, "");
    writeValue(placeName, "");
    if (fragment && location.hash.length < 2) history.replaceState(null, "", `#${fragment}`);
}
