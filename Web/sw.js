// The service worker: stores the files of the page, so that it opens without the network. It stores
// nothing else; what users have read is the page's to store (js/offline).
//
// A new version is installed beside the running one, and takes over when no page of an older version
// is open any more: pages keep the files that they were loaded with.

import { belongsTo, mayTakeOver, wayOf } from "./js/shell.js";

/** `{version, names}` of the files, from Tools/bundle_page.py. */
const { version, names } = SHELL;
const cacheName = `page-${version}`;
/** A server that does not answer for so long is treated as unreachable. */
const patienceMilliseconds = 5_000;

self.addEventListener("install", (event) => event.waitUntil(install()));

self.addEventListener("activate", (event) => event.waitUntil(removeOlderCaches()));

self.addEventListener("fetch", (event) => {
    const way = wayOf(event.request, self.location.origin);
    if (way === "stored") event.respondWith(stored(event.request));
    if (way === "page") event.respondWith(page(event.request));
});

self.addEventListener("message", (event) => {
    if (event.data?.type === "loaded") event.waitUntil(takeOver(event.data.script));
});

async function install() {
    const cache = await caches.open(cacheName);
    const response = await fetch("/", { cache: "no-cache" });
    // While servers are replaced, another version may answer: then the browser tries again later.
    if (!response.ok || !belongsTo(await response.clone().text(), names)) {
        throw new Error("the server has another version of the page");
    }
    await cache.put("/", response);
    await cache.addAll(names.map((name) => `/${name}`));
}

async function removeOlderCaches() {
    for (const name of await caches.keys()) {
        if (name.startsWith("page-") && name !== cacheName) await caches.delete(name);
    }
}

/** Names contain a hash, so a stored file is the right one, whichever version stored it. */
async function stored(request) {
    return await caches.match(request, { ignoreVary: true }) ?? fetch(request);
}

async function page(request) {
    const kept = () => caches.match("/", { cacheName, ignoreVary: true });
    try {
        const response = await Promise.race([fetch(request), impatience()]);
        // A proxy answers so while the server is down.
        if (response.status < 500) return response;
        return await kept() ?? response;
    } catch (error) {
        const response = await kept();
        if (response) return response;
        throw error;
    }
}

function impatience() {
    return new Promise((_, reject) => {
        setTimeout(() => reject(new Error("the server does not answer")), patienceMilliseconds);
    });
}

async function takeOver(script) {
    const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    if (mayTakeOver({ pageCount: pages.length, script }, names)) await self.skipWaiting();
}
