// Presence and typing in the open conversation. Events go in, names come out; no socket, no DOM, and time
// is a parameter.

import { compareNames, listed, text } from "./language.js";

/** The other users in one conversation. */
export class Presence {
    #ownID;
    /** Present users by id. */
    #here = new Map();
    /** Typing users by id: `{user, until}`. */
    #writing = new Map();

    /** As seen by `user`, who is not included. */
    constructor(user) {
        this.#ownID = user.id;
    }

    /** Resets: the server sends presence after each watch. */
    clear() {
        this.#here.clear();
        this.#writing.clear();
    }

    /**
     * Applies an event of the conversation, at `now` in milliseconds. Returns whether anything
     * changed.
     */
    apply(event, now) {
        switch (event.ev) {
        case "presence.changed":
            if (event.user.id === this.#ownID) return false;
            if (event.online) this.#here.set(event.user.id, event.user);
            else this.#drop(event.user.id);
            return true;
        case "typing":
            if (event.user.id === this.#ownID) return false;
            this.#writing.set(
                event.user.id, { user: event.user, until: now + event.seconds * 1000 });
            return true;
        case "message.created":
            // The author of a sent message is not typing any more.
            return this.#writing.delete(event.message.author?.id);
        case "member.changed":
            if (!event.role) this.#drop(event.user.id);
            return !event.role;
        default:
            return false;
        }
    }

    /** The other present users, by name. */
    get here() {
        return [...this.#here.values()].sort(byName);
    }

    /** The other users who are typing at `now`, by name. */
    writing(now) {
        const still = [...this.#writing.values()].filter(({ until }) => until > now);
        return still.map(({ user }) => user).sort(byName);
    }

    /** When the first typing state ends; null if nobody is typing. */
    nextEnd(now) {
        const ends = [...this.#writing.values()].map(({ until }) => until);
        return ends.filter((until) => until > now).sort((one, other) => one - other)[0] ?? null;
    }

    #drop(id) {
        this.#here.delete(id);
        this.#writing.delete(id);
    }
}

/**
 * "Ann is writing…", "Ann and Bo are writing…", "Ann, Bo and 2 more are writing…"; empty for
 * nobody.
 */
export function writersOf(names) {
    if (names.length === 0) return "";
    const shown = names.length > 3
        ? [...names.slice(0, 2), text("people.more", { count: names.length - 2 })] : names;
    return text("presence.writing", { count: names.length, names: listed(shown) });
}

function byName(one, other) {
    return compareNames(one.name, other.name);
}
