// Values that survive a reload of this tab, but not the tab: unsent messages and drafts. If the
// browser refuses storage, they do not survive.

/** Reads a value, or returns `otherwise` if there is none. */
export function readValue(name, otherwise) {
    try {
        return JSON.parse(sessionStorage.getItem(name)) ?? otherwise;
    } catch {
        return otherwise;
    }
}

/** Stores a value. */
export function writeValue(name, value) {
    try {
        sessionStorage.setItem(name, JSON.stringify(value));
    } catch {
        // Storage is off or full.
    }
}

/** Removes everything, when signing out. */
export function clearValues() {
    try {
        sessionStorage.clear();
    } catch {
        // Storage is off.
    }
}
