// A short message at the bottom of the page that disappears by itself, with an optional undo button.

import { asText, byId, element } from "../element.js";
import { text } from "../language.js";

const shownMilliseconds = 5_000;
const shownWithUndoMilliseconds = 10_000;
let timer = null;

/** Shows `sentence` for a while; with `undo`, a function, and a button that calls it. */
export function showToast(sentence, undo = null) {
    const toast = byId("toast");
    toast.replaceChildren(...asText([sentence]));
    if (undo) {
        const button = element("button", { type: "button", "data-testid": "undo" }, [text("common.undo")]);
        button.addEventListener("click", () => {
            toast.hidden = true;
            undo();
        });
        toast.append(button);
    }
    toast.hidden = false;
    clearTimeout(timer);
    timer = setTimeout(() => {
        toast.hidden = true;
    }, undo ? shownWithUndoMilliseconds : shownMilliseconds);
}
