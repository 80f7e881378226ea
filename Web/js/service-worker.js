// Registers the service worker, which stores the page's files. Browsers allow one on HTTPS and on
// localhost only; elsewhere the page works without.

/** Registers it, once the page has loaded, and lets a new version take over if it can. */
export async function registerServiceWorker() {
    if (!navigator.serviceWorker) return;
    try {
        const registration = await navigator.serviceWorker.register(
            address(), { updateViaCache: "none" });
        const script = document.querySelector("script[type=module]")?.getAttribute("src");
        registration.waiting?.postMessage({ type: "loaded", script });
    } catch {
        // The browser forbids it, or the server cannot be reached: the next visit tries again.
    }
}

/** The one Trusted Types policy of the page, which its Content-Security-Policy names. */
function address() {
    const path = "/sw.js";
    const policy = globalThis.trustedTypes?.createPolicy(
        "service-worker", { createScriptURL: () => path });
    return policy ? policy.createScriptURL(path) : path;
}
