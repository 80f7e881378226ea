// The entry point: shows the workspace if a user is signed in, else the sign-in card.

import {
    asksForDevice, linkBeforeReload, sharedTokenOf, takeLink, takePlace, takeSignInFailure,
} from "./address.js";
import { currentUser } from "./backend.js";
import { byId, icon, setText } from "./element.js";
import { claim, storedUser, wipe } from "./offline/storage.js";
import { registerServiceWorker } from "./service-worker.js";
import { fillTexts, loadLanguage, text } from "./language.js";
import { suspendDialogs } from "./views/dialogs.js";
import { SignInView } from "./views/sign-in.js";
import { Workspace } from "./workspace.js";

const retryMilliseconds = 3_000;
const workerDelayMilliseconds = 1_000;

let signIn = null;

/** Adds the icons of buttons, which name them in `data-icon`. */
function addIcons() {
    for (const node of document.querySelectorAll("[data-icon]")) {
        node.prepend(icon(node.dataset.icon));
    }
}

/** Shows the workspace of `user`; `invite` is the token of a link into a team. */
function enter(user, invite = null) {
    signIn.hide();
    byId("workspace").hidden = false;
    claim(user);
    const workspace = new Workspace(user);
    workspace.addEventListener("signed-out", ({ detail }) => {
        wipe();
        const reopenDialogs = suspendDialogs();
        byId("workspace").hidden = true;
        const resume = () => {
            signIn.hide();
            byId("workspace").hidden = false;
            reopenDialogs();
            claim(user);
            workspace.resume();
        };
        signIn.show({
            note: detail.note,
            name: detail.isWanted ? "" : user.name,
            place: detail.isWanted ? "" : location.hash.slice(1),
            // If a session ended, the same user resumes in place with all unsent text. For another
            // user the page reloads, so that nothing of the previous user is left.
            onDone: ({ id }) => (id === user.id && !detail.isWanted ? resume() : location.reload()),
        });
    });
    workspace.start(invite);
}

async function begin() {
    const shared = sharedTokenOf(location.hash);
    if (shared) {
        (await import("./views/shared.js")).showShared(shared);
        return;
    }
    const failure = takeSignInFailure();
    // After the provider's sign-in, return to the stored address, or to the link's.
    takePlace();
    const link = takeLink() ?? linkBeforeReload();
    const invite = link?.purpose === "team-invite" ? link.token : null;
    if (link && invite === null) {
        signIn.show({ link, onDone: (user) => enter(user) });
        return;
    }
    const user = await currentUserWhenReachable();
    if (user) {
        enter(user, invite);
        return;
    }
    wipe();
    const note = invite ? text("sign-in.join")
        : asksForDevice(location.hash) ? text("sign-in.device") : "";
    const place = invite ? `team-invite=${invite}` : location.hash.slice(1);
    signIn.show({ note, failure, place, onDone: (newcomer) => enter(newcomer, invite) });
}

/**
 * The signed-in user. If the server can't be reached, the one whose conversations this device stores;
 * without one, retried until it answers.
 */
async function currentUserWhenReachable() {
    const notice = byId("unreachable");
    for (;;) {
        try {
            const user = await currentUser();
            notice.hidden = true;
            return user;
        } catch (error) {
            const known = error.isRetryable ? await storedUser() : null;
            if (known) return known;
            setText(byId("unreachable-text"), text("unreachable", { reason: error.message }));
            notice.hidden = false;
        }
        await new Promise((resolve) => {
            setTimeout(resolve, retryMilliseconds);
        });
    }
}

/** Chooses the language before anything is shown. */
async function start() {
    await loadLanguage();
    fillTexts(document);
    addIcons();
    signIn = new SignInView();
    await begin();
}

start();
// Not beside what the first view loads.
window.addEventListener("load", () => setTimeout(registerServiceWorker, workerDelayMilliseconds));
