// Notices of mentions, and of answers that end while the page is hidden: by the browser, by a sound.

import { pictureAddress } from "./element.js";
import { text } from "./language.js";
import { noticeSettings } from "./notice-settings.js";
import { excerptOf, noticeOf } from "./notices.js";
import { answerOf } from "./thinking.js";
import { titleOf } from "./wording.js";

/** Another tab that gives the same notice is silent for so long. */
const togetherMilliseconds = 1_500;

/** Gives notices of `list`. */
export class Notifier {
    #connection;
    #open;
    /** Conversations in which this user has asked something here. */
    #awaited = new Set();

    /** `open(id)` opens a conversation. */
    constructor(connection, list, open) {
        this.#connection = connection;
        this.#open = open;
        list.addEventListener("row", ({ detail }) => this.#look(detail));
    }

    /** Called when this user has asked something in a conversation. */
    await(conversation) {
        this.#awaited.add(conversation);
    }

    #look({ before, after }) {
        const settings = noticeSettings();
        if (!settings.notify && !settings.sound) return;
        const isHidden = document.visibilityState === "hidden";
        const kind = noticeOf(before, after, {
            isHidden,
            isAway: isHidden || !document.hasFocus(),
            // In a conversation with others, their answers are theirs.
            isAwaited: (after.members?.length ?? 1) === 1 || this.#awaited.has(after.id),
        });
        if (kind === null) return;
        if (kind === "answer") this.#awaited.delete(after.id);
        onlyHere(`stoa.notice.${after.id}`, () => this.#give(kind, after, settings));
    }

    async #give(kind, conversation, { notify, sound, showsText }) {
        if (sound) import("./chime.js").then(({ chime }) => chime()).catch(() => {});
        if (!notify || globalThis.Notification?.permission !== "granted") return;
        const what = kind === "mention" ? text("notices.mention") : text("notices.answer");
        const body = showsText ? await this.#newestText(conversation.id) : "";
        this.#show(showsText ? titleOf(conversation) : "Stoa", {
            body: body || what, tag: conversation.id, icon: pictureAddress(), silent: true,
        }, conversation.id);
    }

    async #newestText(conversation) {
        try {
            const { messages } = await this.#connection.request(
                "message.list", { conversation, limit: 1 });
            return messages.length > 0 ? excerptOf(answerOf(messages.at(-1))) : "";
        } catch {
            return "";
        }
    }

    async #show(title, options, conversation) {
        try {
            const notice = new Notification(title, options);
            notice.addEventListener("click", () => {
                window.focus();
                this.#open(conversation);
                notice.close();
            });
        } catch {
            // On Android only a service worker may give notices.
            const worker = await navigator.serviceWorker?.getRegistration();
            worker?.showNotification(title, options);
        }
    }
}

/** Runs `action` in one tab of this browser, if it can tell tabs apart. */
function onlyHere(name, action) {
    if (!navigator.locks) {
        action();
        return;
    }
    navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
        if (!lock) return;
        action();
        await new Promise((resolve) => {
            setTimeout(resolve, togetherMilliseconds);
        });
    });
}
