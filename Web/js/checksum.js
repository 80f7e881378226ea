// SHA-256 of a text, if the browser supports it: over plain http only on localhost.

/** The digest in lower-case hexadecimal digits, or null if the browser does not support it. */
export async function sha256(text) {
    if (!globalThis.crypto?.subtle) return null;
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return hexadecimal(new Uint8Array(digest));
}

/** A random key of 128 bits, for idempotent requests. */
export function randomKey() {
    return hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
}

function hexadecimal(bytes) {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
