// What the service worker does with a request: pure rules, so that tests need no worker.

/**
 * How a request is answered: "stored" (from the cache, else from the network), "page" (from the
 * network, else from the cache), or null: the browser's way, as if there were no worker. Requests of
 * the API and for the WebSocket are never touched.
 */
export function wayOf({ method, mode, url }, origin) {
    const { origin: theirs, pathname } = new URL(url);
    if (method !== "GET" || theirs !== origin) return null;
    if (pathname.startsWith("/assets/")) return "stored";
    return mode === "navigate" && pathname === "/" ? "page" : null;
}

/** Whether all of `names` are what the page with the text `html` names. */
export function belongsTo(html, names) {
    const named = html.match(/assets\/[\w.-]+/g) ?? [];
    return named.length > 0 && named.every((name) => names.includes(name));
}

/**
 * Whether a waiting worker, whose files are `names`, may take over: from one open page of its own
 * version. An older page would miss the files of its version.
 */
export function mayTakeOver({ pageCount, script }, names) {
    return pageCount <= 1 && names.includes(script);
}
