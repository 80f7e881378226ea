// A link that the server tells once: to copy, and not to be seen again.

import { copyText } from "../../clipboard.js";
import { element, setText } from "../../element.js";
import { text } from "../../language.js";
import { momentOf } from "../format.js";
import { showDialog } from "./dialog.js";

/** The whole address of a link of the server, which may not know its own address. */
export function fullLink(link, origin = location.origin) {
    return link.startsWith("/") ? `${origin}${link}` : link;
}

/** Shows the link of `user`, with which they set their password, until the dialog is closed. */
export function showLink({ user, link, expires_at: end }) {
    const field = element("input", {
        class: "secret", readonly: true, spellcheck: "false", value: fullLink(link),
        "aria-label": text("administration.link"), "data-testid": "link",
    });
    const copy = element("button", { type: "button", "data-testid": "copy-link" },
        [text("administration.copy")]);
    const note = element("p", { class: "hint", role: "status" });
    copy.addEventListener("click", async () => {
        const isCopied = await copyText(field.value);
        setText(note, text(isCopied ? "administration.copied" : "administration.copy.failed"));
        if (!isCopied) field.select();
    });
    return showDialog({
        heading: text("administration.link.heading", { name: user.name }),
        lead: text("administration.link.lead", { end: momentOf(end) }),
        content: [element("div", { class: "invite-line" }, [field, copy]), note],
    });
}
