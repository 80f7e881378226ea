// The settings of notifications in this browser, kept until its data is cleared: all off at first.

const storageName = "stoa.notices";
const off = { notify: false, sound: false, showsText: false };

/** The settings of notices: `{notify, sound, showsText}`. */
export function noticeSettings() {
    try {
        return { ...off, ...JSON.parse(localStorage.getItem(storageName)) };
    } catch {
        return { ...off };
    }
}

/** Changes some of them. */
export function changeNoticeSettings(changes) {
    try {
        localStorage.setItem(storageName, JSON.stringify({ ...noticeSettings(), ...changes }));
    } catch {
        // Storage is off: they stay as they are.
    }
}
