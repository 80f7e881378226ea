// Export of all data, and import of a file, in the account dialog.

import { byId } from "../element.js";
import { followDownloads } from "./downloads.js";
import { openImport } from "./file-drop.js";

/** The part of the account dialog about export and import. */
export class TransferPart {
    constructor() {
        followDownloads(byId("transfer-part"));
        byId("import-open").addEventListener("click", () => openImport());
    }
}
