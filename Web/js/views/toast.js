// One sentence at the foot of the page that goes away by itself.

import { byId } from "../element.js";

const shownMilliseconds = 5_000;
let timer = null;

/** Shows `sentence` for a while. */
export function showToast(sentence) {
    const toast = byId("toast");
    toast.textContent = sentence;
    toast.hidden = false;
    clearTimeout(timer);
    timer = setTimeout(() => {
        toast.hidden = true;
    }, shownMilliseconds);
}
