// Opens the dialog for the code of a device that waits to be signed in, when the address asks for it:
// the link that `stoa login` prints.

import { takeDeviceRequest } from "../address.js";
import { text } from "../language.js";
import { showToast } from "./toast.js";

/** Follows the address from now on. */
export function followDeviceRequests(connection) {
    const follow = async () => {
        if (!takeDeviceRequest()) return;
        try {
            (await import("./device-dialog.js")).openDialog(connection);
        } catch {
            showToast(text("conversations.part.missing"));
        }
    };
    window.addEventListener("hashchange", follow);
    follow();
}
