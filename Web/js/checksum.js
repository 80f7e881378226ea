// SHA-256 of a text, where the browser gives it: on plain http it does so for localhost only.

/** The digest in lower-case hexadecimal digits, or null where the browser has none to give. */
export async function sha256(text) {
    if (!globalThis.crypto?.subtle) return null;
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return hexadecimal(new Uint8Array(digest));
}

/** A key of 128 random bits, for requests that must not be done twice. */
export function randomKey() {
    return hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
}

function hexadecimal(bytes) {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
