// A message that a search has found: its conversation is opened, then the message is shown.

import { text } from "./language.js";
import { showToast } from "./views/toast.js";

/** Shows found messages. */
export class FoundMessage {
    #parts;
    /** `{conversation, message}` until the conversation is loaded. */
    #found = null;

    /**
     * `watcher` has the open conversation; `actions` are its `TreeActions`; `thread` shows its
     * messages; `show(id)` opens a conversation.
     */
    constructor(parts) {
        this.#parts = parts;
    }

    /** Opens a found message's conversation, and shows the message once it is loaded. */
    open(found) {
        this.#found = found;
        this.#parts.show(found.conversation);
        if (this.#parts.watcher.isLive) this.reveal();
    }

    /** Shows the message that is waited for, if it is in the open conversation. */
    async reveal() {
        const found = this.#found;
        const { watcher, actions, thread } = this.#parts;
        this.#found = null;
        if (found === null || found.conversation !== watcher.timeline?.id) return;
        await actions.showBranchOf(found.message);
        if (await thread.reveal(found.message)) return;
        showToast(text("search.too-far"));
    }
}
