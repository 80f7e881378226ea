// Presence in the open conversation, as small circles in its head, and typing; reports this user's
// typing to the others. Hidden if the user is alone.

import { byId, element, setText } from "../element.js";
import { enumerated, numberText } from "../language.js";
import { Presence, writersOf } from "../presence.js";
import { initials } from "../wording.js";

/** More users than these are shown as a number. */
const circlesMax = 3;
/** The server forwards typing at most every two seconds, and it lasts for five. */
const reportMilliseconds = 3_000;

/** Shows presence and typing. */
export class PresenceView {
    #connection;
    #watcher;
    #announcer;
    #presence;
    #isShared = false;
    #reportedAt = -Infinity;
    #timer = null;
    /** Users announced as typing: each is announced once, not with each repetition. */
    #announced = new Set();

    constructor(connection, watcher, user, announcer) {
        this.#connection = connection;
        this.#watcher = watcher;
        this.#announcer = announcer;
        this.#presence = new Presence(user);
        connection.addEventListener("event", ({ detail }) => this.#receive(detail));
        connection.addEventListener("state", () => {
            if (connection.state !== "live") this.#clear();
        });
        // The server sends presence right after the reply of each watch.
        for (const name of ["opened", "caught-up"]) {
            watcher.addEventListener(name, () => this.#clear());
        }
    }

    /** Shows the presence of `conversation`; null for none. */
    show(conversation) {
        this.#isShared = (conversation?.members?.length ?? 0) > 1;
        this.#draw();
    }

    /** Called when this user types in the open conversation. */
    typed() {
        const conversation = this.#watcher.timeline?.id;
        const now = Date.now();
        if (!conversation || !this.#isShared || now - this.#reportedAt < reportMilliseconds) return;
        this.#reportedAt = now;
        // A lost request does not matter: it is repeated while the user types.
        this.#connection.request("typing", { conversation }).catch(() => {});
    }

    #receive(event) {
        if (event.conversation !== this.#watcher.timeline?.id) return;
        if (this.#presence.apply(event, Date.now())) this.#draw();
    }

    #clear() {
        this.#presence.clear();
        this.#reportedAt = -Infinity;
        this.#draw();
    }

    #draw() {
        this.#drawCircles(this.#isShared ? this.#presence.here : []);
        this.#drawWriters();
    }

    #drawCircles(people) {
        // One more circle takes as much space as the number.
        const shown = people.length > circlesMax + 1 ? people.slice(0, circlesMax) : people;
        const rest = people.slice(shown.length);
        const circles = shown.map(({ name }) => circle(initials(name), name));
        if (rest.length > 0) {
            circles.push(circle(
                `+${numberText(rest.length)}`, enumerated(rest.map(({ name }) => name))));
        }
        byId("presence").replaceChildren(...circles);
        byId("presence").hidden = people.length === 0;
    }

    #drawWriters() {
        const now = Date.now();
        const writers = this.#isShared ? this.#presence.writing(now) : [];
        const sentence = writersOf(writers.map(({ name }) => name));
        setText(byId("typing-text"), sentence);
        byId("typing").hidden = writers.length === 0;
        byId("conversation-about").hidden = writers.length > 0;
        if (writers.some(({ id }) => !this.#announced.has(id))) this.#announcer.say(sentence);
        this.#announced = new Set(writers.map(({ id }) => id));
        clearTimeout(this.#timer);
        const end = writers.length > 0 ? this.#presence.nextEnd(now) : null;
        if (end !== null) this.#timer = setTimeout(() => this.#drawWriters(), end - now + 1);
    }
}

function circle(letters, names) {
    return element("li", { title: names, "data-testid": "present" }, [
        element("span", { class: "avatar", "aria-hidden": "true" }, [letters]),
        element("span", { class: "visually-hidden" }, [names]),
    ]);
}
