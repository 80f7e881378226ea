// The line above the messages that says that they are this device's copy, or that it has none.

import { byId, element, setText } from "../element.js";
import { text } from "../language.js";
import { fullTime } from "../wording.js";

/** Follows `offline`, an `Offline`. */
export function showOfflineNote(offline) {
    const note = element("p", {
        class: "offline-note", "data-testid": "offline-note", role: "status", hidden: true,
    });
    byId("banner").after(note);
    const show = (sentence) => {
        note.hidden = sentence === "";
        setText(note, sentence);
    };
    offline.addEventListener("current", () => show(""));
    offline.addEventListener("shown", ({ detail: { at } }) => show(at === null
        ? text("offline.missing")
        : text("offline.copy", { time: fullTime(new Date(at).toISOString()) })));
}
