// Downloads with progress: the links of a part of the page. A file that ends early is not saved.

import { downloadFile } from "../backend.js";
import { element, setText } from "../element.js";
import { text } from "../language.js";
import { sizeOf } from "../wording.js";

/** Shows progress at the end of `container` for each download that one of its links starts. */
export function followDownloads(container) {
    const progress = new Progress();
    container.append(progress.node);
    container.addEventListener("click", (event) => {
        const link = event.target.closest("a[download]");
        // With a key the browser opens or saves it in its own way.
        if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        progress.run(link.href);
    });
}

class Progress {
    #note = element("span", { role: "status", "data-testid": "download-note" });
    #cancel = element("button", { type: "button", hidden: true }, [text("common.cancel")]);
    #bar = element("progress", { "aria-label": text("export.progress"), hidden: true });
    #controller = null;

    node = element("div", { class: "transfer-progress", "data-testid": "download" }, [
        this.#note, this.#cancel, this.#bar]);

    constructor() {
        this.#cancel.addEventListener("click", () => this.#controller?.abort());
    }

    async run(address) {
        this.#controller?.abort();
        const controller = new AbortController();
        this.#controller = controller;
        this.#show(text("export.begins"), true);
        const onProgress = (received) => {
            if (!controller.signal.aborted) {
                this.#show(text("export.received", { size: sizeOf(received) }), true);
            }
        };
        try {
            const { blob, name } = await downloadFile(
                address, { onProgress, signal: controller.signal });
            save(blob, name);
            this.#show(text("export.done", { name, size: sizeOf(blob.size) }), false);
        } catch (error) {
            // Another download may have taken its place.
            if (this.#controller !== controller) return;
            this.#show(controller.signal.aborted ? text("export.cancelled") : error.message, false);
        }
    }

    #show(sentence, isRunning) {
        setText(this.#note, sentence);
        this.#cancel.hidden = !isRunning;
        this.#bar.hidden = !isRunning;
    }
}

function save(blob, name) {
    const address = URL.createObjectURL(blob);
    const link = element("a", { href: address, download: name });
    link.click();
    // The browser has taken the file by then.
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
