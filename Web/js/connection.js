// One WebSocket to the server, kept alive: requests and their replies, events, reconnecting by what
// the close code asks for. It knows frames, not what is in them.

import { RequestError, currentUser, socketAddress } from "./backend.js";
import { adviceOf, delayBefore } from "./reconnect.js";

const replyTimeoutMilliseconds = 20_000;
const pingIntervalMilliseconds = 20_000;
/** A connection that lived this long starts the back-off anew. */
const steadyMilliseconds = 10_000;

/**
 * The connection. It dispatches "event" (detail: an event object), "welcome" (detail: that event),
 * "state" and "signed-out" (nobody is signed in any more, or somebody else is).
 */
export class Connection extends EventTarget {
    /** "connecting", "live", "waiting" (for the next attempt), "refused" (for good) or "closed". */
    state = "closed";

    #socket = null;
    #nextRequest = 1;
    #waiting = new Map();
    #attempt = 0;
    #retryTimer = null;
    #pingTimer = null;
    #liveSince = 0;
    #userID;

    /** The connection of `user`, and of nobody else whom this browser may sign in meanwhile. */
    constructor(user) {
        super();
        this.#userID = user.id;
        // Being online again, or looked at again, is a good moment to try or to see if it's alive.
        window.addEventListener("online", () => this.#wake());
        document.addEventListener("visibilitychange", () => {
            if (document.visibilityState === "visible") this.#wake();
        });
    }

    /** Connects, and from then on comes back by itself. */
    open() {
        if (this.#socket) return;
        clearTimeout(this.#retryTimer);
        this.#setState("connecting");
        const socket = new WebSocket(socketAddress(), ["stoa.v1"]);
        this.#socket = socket;
        socket.addEventListener("message", (message) => {
            if (socket === this.#socket) this.#receive(message.data);
        });
        socket.addEventListener("close", (close) => {
            if (socket === this.#socket) this.#ended(close.code);
        });
    }

    /** Disconnects for good. */
    close() {
        clearTimeout(this.#retryTimer);
        const socket = this.#socket;
        this.#drop();
        socket?.close(1000);
        this.#setState("closed");
    }

    /**
     * Asks the server to do `op`.
     * @returns what stands under "ok".
     * @throws RequestError what stands under "error"; "unreachable" where no reply came, in which
     *     case the request may or may not have been done.
     */
    request(op, fields = {}) {
        if (this.state !== "live") return Promise.reject(unreachable());
        const id = this.#nextRequest;
        this.#nextRequest += 1;
        return new Promise((resolve, reject) => {
            // A reply that does not come means a connection that is dead and does not know it.
            const timer = setTimeout(() => this.#abandon(), replyTimeoutMilliseconds);
            this.#waiting.set(id, { resolve, reject, timer });
            this.#socket.send(JSON.stringify({ id, op, ...fields }));
        });
    }

    #receive(data) {
        const frame = JSON.parse(data);
        if (frame.ev === "welcome" && frame.user.id !== this.#userID) {
            this.#signedOut();
        } else if (frame.ev === "welcome") {
            this.#liveSince = Date.now();
            this.#pingTimer = setInterval(() => this.#ping(), pingIntervalMilliseconds);
            this.#setState("live");
            this.dispatchEvent(new CustomEvent("welcome", { detail: frame }));
        } else if (frame.ev) {
            this.dispatchEvent(new CustomEvent("event", { detail: frame }));
        } else {
            this.#settle(frame);
        }
    }

    #settle({ id, ok, error }) {
        const request = this.#waiting.get(id);
        if (!request) return;
        this.#waiting.delete(id);
        clearTimeout(request.timer);
        if (error) request.reject(new RequestError(error));
        else request.resolve(ok);
    }

    #ping() {
        this.request("ping").catch(() => {});
    }

    #wake() {
        if (this.state === "waiting") this.open();
        else if (this.state === "live") this.#ping();
    }

    /** Gives a silent socket up without waiting for its closing handshake. */
    #abandon() {
        const socket = this.#socket;
        this.#ended(1006);
        socket?.close();
    }

    #ended(code) {
        const wasLive = this.state === "live";
        if (wasLive && Date.now() - this.#liveSince > steadyMilliseconds) this.#attempt = 0;
        this.#drop();
        switch (adviceOf(code)) {
        case "sign-in":
            // Another tab may have signed in anew, which ended the sign-in before: then all is well.
            this.#setState("waiting");
            this.#scheduleAttempt({ asksFirst: true, isPrompt: this.#attempt === 0 });
            break;
        case "stay-away":
            this.#setState("refused");
            break;
        default:
            this.#setState("waiting");
            // A refused handshake doesn't tell a script why; the session route does.
            this.#scheduleAttempt({ asksFirst: !wasLive });
        }
    }

    #scheduleAttempt({ asksFirst, isPrompt = false }) {
        const delay = isPrompt ? 0 : delayBefore(this.#attempt);
        this.#attempt += 1;
        this.#retryTimer = setTimeout(async () => {
            if (asksFirst && await isSignedOut()) this.#signedOut();
            else if (this.state === "waiting") this.open();
        }, delay);
    }

    #signedOut() {
        this.close();
        this.dispatchEvent(new CustomEvent("signed-out"));
    }

    #drop() {
        this.#socket = null;
        clearInterval(this.#pingTimer);
        const waiting = [...this.#waiting.values()];
        this.#waiting.clear();
        for (const { reject, timer } of waiting) {
            clearTimeout(timer);
            reject(unreachable());
        }
    }

    #setState(state) {
        if (this.state === state) return;
        this.state = state;
        this.dispatchEvent(new CustomEvent("state"));
    }
}

async function isSignedOut() {
    try {
        return await currentUser() === null;
    } catch {
        return false;
    }
}

function unreachable() {
    return new RequestError({ code: "unreachable", message: "The connection was lost." });
}
