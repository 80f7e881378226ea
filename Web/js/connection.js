// One WebSocket to the server: requests and replies, events, and reconnecting as the close code
// allows. It does not interpret events.

import { RequestError, currentUser, socketAddress } from "./backend.js";
import { text } from "./language.js";
import { adviceOf, delayBefore } from "./reconnect.js";

const replyTimeoutMilliseconds = 20_000;
const pingIntervalMilliseconds = 20_000;
/** A connection that lived this long resets the backoff. */
const steadyMilliseconds = 10_000;

/**
 * The connection. Dispatches "event" (detail: an event object), "welcome" (detail: that event),
 * "state" and "signed-out" (nobody is signed in any more, or another user is).
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

    /** The connection of `user`, and of no other user who may sign in in this browser. */
    constructor(user) {
        super();
        this.#userID = user.id;
        // When the browser is online or the page visible again, reconnect or check the connection.
        window.addEventListener("online", () => this.#wake());
        document.addEventListener("visibilitychange", () => {
            if (document.visibilityState === "visible") this.#wake();
        });
    }

    /** Connects, and reconnects automatically. */
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

    /** Disconnects permanently. */
    close() {
        clearTimeout(this.#retryTimer);
        const socket = this.#socket;
        this.#drop();
        socket?.close(1000);
        this.#setState("closed");
    }

    /**
     * Sends the request `op`.
     * @returns the reply's "ok".
     * @throws RequestError the reply's "error"; "unreachable" if there was no reply, in which case
     *     the request may or may not have taken effect.
     */
    request(op, fields = {}) {
        if (this.state !== "live") return Promise.reject(unreachable());
        const id = this.#nextRequest;
        this.#nextRequest += 1;
        return new Promise((resolve, reject) => {
            // A missing reply means that the connection is dead without knowing it.
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
        if (error) request.reject(RequestError.from(error));
        else request.resolve(ok);
    }

    #ping() {
        this.request("ping").catch(() => {});
    }

    #wake() {
        if (this.state === "waiting") this.open();
        else if (this.state === "live") this.#ping();
    }

    /** Closes a silent socket without waiting for the closing handshake. */
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
            // Another tab may have signed in again, which ended the previous session: then
            // reconnect.
            this.#setState("waiting");
            this.#scheduleAttempt({ asksFirst: true, isPrompt: this.#attempt === 0 });
            break;
        case "stay-away":
            this.#setState("refused");
            break;
        default:
            this.#setState("waiting");
            // A script cannot see why a handshake was refused; the session route tells.
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
    return new RequestError({ code: "unreachable", message: text("error.connection-lost") });
}
