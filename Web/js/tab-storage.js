// Values that outlive a reload of this tab, but not the tab: unsent messages and drafts. A browser
// that refuses storage costs them their second life and nothing else.

/** Reads a value, or `otherwise` where there is none. */
export function readValue(name, otherwise) {
    try {
        return JSON.parse(sessionStorage.getItem(name)) ?? otherwise;
    } catch {
        return otherwise;
    }
}

/** Keeps a value. */
export function writeValue(name, value) {
    try {
        sessionStorage.setItem(name, JSON.stringify(value));
    } catch {
        // Storage is off or full.
    }
}

/** Forgets everything, as signing out does. */
export function clearValues() {
    try {
        sessionStorage.clear();
    } catch {
        // Storage is off.
    }
}
