// Where the page begins: is someone signed in? Then the workspace, else the sign-in card.

import { currentUser } from "./backend.js";
import { byId, icon } from "./element.js";
import { SignInView } from "./views/sign-in.js";
import { Workspace } from "./workspace.js";

const retryMilliseconds = 3_000;

/** The token of a sign-up link, taken out of the address so that it stays in no history. */
function takeSignUpToken() {
    const token = new URLSearchParams(location.hash.slice(1)).get("sign-up");
    if (token) history.replaceState(null, "", location.pathname);
    return token;
}

/** Buttons name their icons in `data-icon`. */
function addIcons() {
    for (const node of document.querySelectorAll("[data-icon]")) {
        node.prepend(icon(node.dataset.icon));
    }
}

function enter(user) {
    byId("sign-in").hidden = true;
    byId("workspace").hidden = false;
    const workspace = new Workspace(user);
    workspace.addEventListener("signed-out", ({ detail }) => {
        byId("workspace").hidden = true;
        // A page that was in use starts anew: nothing of one user's is left for the next one.
        new SignInView({ note: detail, onDone: () => location.reload() });
    });
    workspace.start();
}

async function begin() {
    const token = takeSignUpToken();
    if (token) {
        new SignInView({ token, onDone: enter });
        return;
    }
    const user = await currentUserWhenReachable();
    if (user) enter(user);
    else new SignInView({ onDone: enter });
}

/** Who is signed in, asked until the server answers: a reload could end on the browser's page. */
async function currentUserWhenReachable() {
    const notice = byId("unreachable");
    for (;;) {
        try {
            const user = await currentUser();
            notice.hidden = true;
            return user;
        } catch (error) {
            byId("unreachable-text").textContent = `${error.message} Trying again…`;
            notice.hidden = false;
        }
        await new Promise((resolve) => {
            setTimeout(resolve, retryMilliseconds);
        });
    }
}

addIcons();
begin();
