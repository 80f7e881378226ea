// Export of all data, and import of a file, in the account dialog.

import { importFile } from "../backend.js";
import { byId, element } from "../element.js";
import { importReportOf } from "../wording.js";
import { onSubmit } from "./dialogs.js";

/** The part of the account dialog about export and import. */
export class TransferPart {
    constructor() {
        onSubmit("import", () => this.#import());
    }

    /** Clears the last report. */
    forget() {
        byId("import-form").reset();
        byId("import-report").replaceChildren();
        byId("import-error").textContent = "";
    }

    async #import() {
        const [file] = byId("import-file").files;
        const isTrial = byId("import-trial").checked;
        const button = byId("import-start");
        byId("import-report").replaceChildren("Reading the file…");
        button.disabled = true;
        try {
            const { report, error } = await importFile(file, isTrial);
            this.#show(report, isTrial);
            if (error) throw error;
        } catch (error) {
            if (!byId("import-report").querySelector("li")) byId("import-report").replaceChildren();
            throw error;
        } finally {
            button.disabled = false;
        }
    }

    #show(report, isTrial) {
        const lines = importReportOf(report, isTrial);
        byId("import-report").replaceChildren(element(
            "ul", { class: "report" }, lines.map((line) => element("li", {}, [line]))));
    }
}
