// Imports a file: first a trial that says what would come of it, then the import itself.

import { importFile } from "../backend.js";
import { element, setText } from "../element.js";
import { text } from "../language.js";
import { importReportOf, sizeOf } from "../wording.js";
import { closeButton, createDialog, dialogButtons } from "./dialogs.js";

/** Opens it; with a file, its trial starts at once. */
export function openDialog(file) {
    new ImportDialog().open(file);
}

class ImportDialog {
    #file = null;
    /** Ends the transfer in progress. */
    #controller = new AbortController();
    #field = element("input", { id: "import-file", "data-testid": "import-file", type: "file" });
    #note = element("p", { class: "hint", role: "status", "data-testid": "import-note" });
    #bar = element("progress", {
        "aria-label": text("import.progress"), "data-testid": "import-progress", hidden: true,
    });
    #report = element("div", { id: "import-report", "data-testid": "import-report", class: "hint" });
    #error = element("p", { class: "form-error", role: "alert", "data-testid": "import-error" });
    #start = element("button", {
        id: "import-start", "data-testid": "import-start", type: "button", class: "primary",
        disabled: true,
    }, [text("import.start")]);
    #close = closeButton();
    #dialog = createDialog("import-dialog", text("import.heading"), [
        element("label", { for: "import-file" }, [text("import.file")]), this.#field,
        this.#note, this.#bar, this.#report, this.#error, dialogButtons(this.#close, this.#start),
    ]);

    open(file) {
        this.#field.addEventListener("change", () => this.#try(this.#field.files[0]));
        this.#start.addEventListener("click", () => this.#import());
        this.#dialog.addEventListener("close", () => this.#controller.abort());
        this.#dialog.showModal();
        if (!file) return;
        const transfer = new DataTransfer();
        transfer.items.add(file);
        this.#field.files = transfer.files;
        this.#try(file);
    }

    /** Checks what an import would do. */
    async #try(file) {
        if (!file) return;
        this.#file = file;
        this.#controller.abort();
        const report = await this.#send(true);
        if (!report) return;
        setText(this.#note, text("import.tried", { name: file.name, size: sizeOf(file.size) }));
        this.#start.disabled = false;
        this.#start.focus();
    }

    async #import() {
        const report = await this.#send(false);
        if (!report) return;
        setText(this.#note, text("import.done", { name: this.#file.name }));
        this.#close.focus();
    }

    /** Resolves to the report; null if it failed or was ended, which is shown. */
    async #send(isTrial) {
        const controller = new AbortController();
        this.#controller = controller;
        this.#start.disabled = true;
        this.#error.textContent = "";
        this.#report.replaceChildren();
        this.#showProgress(0, this.#file.size);
        try {
            const { report, error } = await importFile(this.#file, {
                isTrial,
                onProgress: (sent, total) => this.#showProgress(sent, total),
                signal: controller.signal,
            });
            if (controller !== this.#controller) return null;
            const isEmpty = Object.keys(report.created ?? {}).length === 0;
            if (!error || !isEmpty) this.#showReport(report, isTrial);
            if (error) throw error;
            return report;
        } catch (error) {
            if (controller !== this.#controller || controller.signal.aborted) return null;
            this.#note.textContent = "";
            setText(this.#error, error.message);
            return null;
        } finally {
            if (controller === this.#controller) this.#bar.hidden = true;
        }
    }

    /** What is sent is read at the same time; after that its end is unknown. */
    #showProgress(sent, total) {
        this.#bar.hidden = false;
        this.#bar.max = Math.max(total, 1);
        if (sent < total) this.#bar.value = sent;
        else this.#bar.removeAttribute("value");
        setText(this.#note, sent < total
            ? text("import.sent", { sent: sizeOf(sent), total: sizeOf(total) })
            : text("import.reading"));
    }

    #showReport(report, isTrial) {
        this.#report.replaceChildren(element("ul", { class: "report" },
            importReportOf(report, isTrial).map((line) => element("li", {}, [line]))));
    }
}
