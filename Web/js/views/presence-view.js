// Who else has the conversation open, as small circles in its head, and who is writing there; and tells
// the others while this user writes. Nothing of it where one is alone.

import { byId, element, setText } from "../element.js";
import { Presence, writersOf } from "../presence.js";
import { initials } from "../wording.js";

/** More than these are told as a number. */
const circlesMax = 3;
/** The server passes it on every two seconds at most, and it counts for five. */
const tellMilliseconds = 3_000;

/** The company, shown. */
export class PresenceView {
    #connection;
    #watcher;
    #announcer;
    #presence;
    #isShared = false;
    #toldAt = -Infinity;
    #timer = null;
    /** Who was said to write: they are announced once, not each time that it is said again. */
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
        // The server says who is there right after the reply of each watch.
        for (const name of ["opened", "caught-up"]) {
            watcher.addEventListener(name, () => this.#clear());
        }
    }

    /** Shows the company of `conversation`; null for none. */
    show(conversation) {
        this.#isShared = (conversation?.members?.length ?? 0) > 1;
        this.#draw();
    }

    /** This user writes in the open conversation. */
    typed() {
        const conversation = this.#watcher.timeline?.id;
        const now = Date.now();
        if (!conversation || !this.#isShared || now - this.#toldAt < tellMilliseconds) return;
        this.#toldAt = now;
        // Whether it comes through does not matter: while one writes it is said again.
        this.#connection.request("typing", { conversation }).catch(() => {});
    }

    #receive(event) {
        if (event.conversation !== this.#watcher.timeline?.id) return;
        if (this.#presence.apply(event, Date.now())) this.#draw();
    }

    #clear() {
        this.#presence.clear();
        this.#toldAt = -Infinity;
        this.#draw();
    }

    #draw() {
        this.#drawCircles(this.#isShared ? this.#presence.here : []);
        this.#drawWriters();
    }

    #drawCircles(people) {
        // One circle too many takes as much room as the number that stands for it.
        const shown = people.length > circlesMax + 1 ? people.slice(0, circlesMax) : people;
        const rest = people.slice(shown.length);
        const circles = shown.map(({ name }) => circle(initials(name), name));
        if (rest.length > 0) {
            circles.push(circle(`+${rest.length}`, rest.map(({ name }) => name).join(", ")));
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
