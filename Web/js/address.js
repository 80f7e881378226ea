// Parses links with tokens. A token is in the `#` fragment, which browsers do not send to servers, so it
// is in no log; it is removed from the address, so it is not in the history. Until it is used, this tab
// keeps it for a reload.

import { readValue, writeValue } from "./tab-storage.js";

const placeName = "stoa.place";
const linkName = "stoa.link";

/** The purposes of links, by the name in the link. */
const purposes = ["sign-up", "reset", "team-invite"];

/**
 * Parses a link: `{purpose, token}`, or null if it is not one of these. `hash` is as in `location`.
 */
export function linkOf(hash) {
    const fields = new URLSearchParams(hash.slice(1));
    for (const purpose of purposes) {
        const token = fields.get(purpose);
        if (token) return { purpose, token };
    }
    return null;
}

/** The token of a read-only link to a conversation, or null. It stays in the address, for a reload. */
export function sharedTokenOf(hash) {
    return new URLSearchParams(hash.slice(1)).get("shared");
}

/** The address of a read-only link with `token`. */
export function sharedAddress(token, { origin, pathname } = location) {
    return `${origin}${pathname}#shared=${token}`;
}

/** Removes the link from the page's address and returns it; null if there is none. */
export function takeLink() {
    const link = linkOf(location.hash);
    if (link) {
        history.replaceState(null, "", location.pathname + location.search);
        writeValue(linkName, link);
    }
    return link;
}

/** The link that this tab has not used yet, if it was reloaded; else null, and the link is forgotten. */
export function linkBeforeReload() {
    if (performance.getEntriesByType("navigation")[0]?.type === "reload") {
        return readValue(linkName, null);
    }
    forgetLink();
    return null;
}

/** Forgets the link of `takeLink`, once it was used or declined. */
export function forgetLink() {
    writeValue(linkName, null);
}

/**
 * Removes the failure code of a provider's sign-in from the address and returns it; null if there
 * is none.
 */
export function takeSignInFailure() {
    const failure = new URLSearchParams(location.hash.slice(1)).get("sign-in-failed");
    if (failure) history.replaceState(null, "", location.pathname + location.search);
    return failure;
}

/** Whether an address asks for the dialog that signs a device in by its code. */
export function asksForDevice(hash) {
    return hash === "#device";
}

/** Removes that from the page's address, and returns whether it was there. */
export function takeDeviceRequest() {
    const isThere = asksForDevice(location.hash);
    if (isThere) history.replaceState(null, "", location.pathname + location.search);
    return isThere;
}

/** Stores the fragment of the address while the user signs in elsewhere. */
export function keepPlace(fragment) {
    writeValue(placeName, fragment);
}

/** Restores the stored fragment once, unless the address has one. */
export function takePlace() {
    const fragment = readValue(placeName, "");
    writeValue(placeName, "");
    if (fragment && location.hash.length < 2) history.replaceState(null, "", `#${fragment}`);
}
