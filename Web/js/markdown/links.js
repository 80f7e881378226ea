// Allowed link addresses.

const schemes = ["http:", "https:", "mailto:"];
const lengthMax = 2_000;

/** The address if it is allowed, or null: absolute http, https and mailto only. */
export function safeAddress(address) {
    if (address.length > lengthMax) return null;
    let url;
    try {
        url = new URL(address);
    } catch {
        return null;
    }
    return schemes.includes(url.protocol) ? url.href : null;
}
