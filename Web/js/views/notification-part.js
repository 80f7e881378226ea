// Notices of this device, in the account dialog: switches, all off at first.

import { byId, element, setText } from "../element.js";
import { text } from "../language.js";
import { changeNoticeSettings, noticeSettings } from "../notice-settings.js";

/** The part of the account dialog about notices. */
export class NotificationPart {
    #note = element("p", { class: "hint", role: "status", "data-testid": "notices-note" });
    #switches = {
        notify: this.#switch("notify", text("notices.notify")),
        showsText: this.#switch("showsText", text("notices.text")),
        sound: this.#switch("sound", text("notices.sound")),
    };

    constructor() {
        const labels = Object.values(this.#switches).map((box) => box.parentElement);
        byId("transfer-part").before(element("details", { "data-testid": "notices-part" }, [
            element("summary", {}, [text("notices.heading")]),
            element("p", { class: "hint" }, [text("notices.lead")]), ...labels, this.#note,
        ]));
        this.#draw();
    }

    #switch(name, label) {
        const box = element("input", { type: "checkbox", "data-testid": `notices-${name}` });
        element("label", { class: "check" }, [box, label]);
        box.addEventListener("change", () => this.#change(name, box.checked));
        return box;
    }

    async #change(name, isOn) {
        this.#note.textContent = "";
        if (name === "notify" && isOn && !await this.#mayNotify()) {
            this.#draw();
            return;
        }
        changeNoticeSettings({ [name]: isOn });
        this.#draw();
        // The sound that one gets; it also lets the browser play it later.
        if (name === "sound" && isOn) (await import("../chime.js")).chime().catch(() => {});
    }

    /** Asks the browser's permission: only now, when it is wanted. */
    async #mayNotify() {
        if (!globalThis.Notification) {
            setText(this.#note, text("notices.unsupported"));
            return false;
        }
        const answer = await Notification.requestPermission();
        if (answer !== "granted") setText(this.#note, text("notices.denied"));
        return answer === "granted";
    }

    #draw() {
        const settings = noticeSettings();
        for (const [name, box] of Object.entries(this.#switches)) box.checked = settings[name];
        this.#switches.showsText.disabled = !settings.notify;
    }
}
