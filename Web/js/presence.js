// Who else is in the open conversation at this moment, and who is writing there. Events go in, names come
// out; no socket, no document, and the time is handed in.

/** The company in one conversation. */
export class Presence {
    #ownID;
    /** Those who watch it, by id. */
    #here = new Map();
    /** Those who write, by id: `{user, until}`. */
    #writing = new Map();

    /** As `user` sees it, who is not told of themselves. */
    constructor(user) {
        this.#ownID = user.id;
    }

    /** Forgets everybody: each watch is told anew who is there. */
    clear() {
        this.#here.clear();
        this.#writing.clear();
    }

    /** Applies an event of the conversation, at `now` in milliseconds. Returns whether it matters. */
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
            // Who has said it writes it no more.
            return this.#writing.delete(event.message.author?.id);
        case "member.changed":
            if (!event.role) this.#drop(event.user.id);
            return !event.role;
        default:
            return false;
        }
    }

    /** Who else is here, by name. */
    get here() {
        return [...this.#here.values()].sort(byName);
    }

    /** Who else writes at `now`, by name. */
    writing(now) {
        const still = [...this.#writing.values()].filter(({ until }) => until > now);
        return still.map(({ user }) => user).sort(byName);
    }

    /** When the first of those who write now counts as writing no more; null where nobody writes. */
    nextEnd(now) {
        const ends = [...this.#writing.values()].map(({ until }) => until);
        return ends.filter((until) => until > now).sort((one, other) => one - other)[0] ?? null;
    }

    #drop(id) {
        this.#here.delete(id);
        this.#writing.delete(id);
    }
}

/** "Ann is writing…", "Ann and Bo are writing…", "Ann, Bo and 2 more are writing…"; empty for nobody. */
export function writersOf(names) {
    if (names.length === 0) return "";
    if (names.length === 1) return `${names[0]} is writing…`;
    const [first, second, ...rest] = names;
    if (rest.length === 0) return `${first} and ${second} are writing…`;
    const last = rest.length === 1 ? rest[0] : `${rest.length} more`;
    return `${first}, ${second} and ${last} are writing…`;
}

function byName(one, other) {
    return one.name.localeCompare(other.name);
}
