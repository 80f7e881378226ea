// Export of one conversation as a file.

import { exportAddress } from "../backend.js";
import { element } from "../element.js";
import { text } from "../language.js";
import { titleOf } from "../wording.js";
import { closeButton, createDialog, dialogButtons } from "./dialogs.js";
import { followDownloads } from "./downloads.js";

/** The formats, with their names and purposes. */
const formats = {
    markdown: [text("export.markdown"), text("export.markdown.for")],
    html: [text("export.html"), text("export.html.for")],
    text: [text("export.text"), text("export.text.for")],
    stoa: [text("export.stoa"), text("export.stoa.for")],
    json: [text("export.json"), text("export.json.for")],
    openai: [text("export.openai"), text("export.openai.for")],
    sharegpt: [text("export.sharegpt"), text("export.sharegpt.for")],
};

/** Opens it for a conversation. */
export function openDialog(connection, conversation) {
    const choices = element("div", { class: "choices" }, Object.entries(formats).map(
        ([format, [name, purpose]]) => element("a", {
            id: `export-${format}`, "data-testid": `export-${format}`, class: "choice",
            href: exportAddress(conversation.id, format), download: true,
        }, [element("strong", {}, [name]), element("span", {}, [purpose])])));
    const heading = text("export.heading", { title: titleOf(conversation) });
    const dialog = createDialog("export-dialog", heading, [
        element("p", { class: "hint" }, [text("export.lead")]), choices, dialogButtons(closeButton()),
    ]);
    followDownloads(choices);
    dialog.showModal();
}
