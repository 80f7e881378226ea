// Follows a read-only link over a connection without an account, and reconnects as close codes allow. A
// snapshot needs no connection: it is read again when the reader returns to it, as messages of it, or the
// link, may be gone.

import { sharedPage, sharedSocketAddress } from "./backend.js";
import { adviceOf, delayBefore } from "./reconnect.js";
import { SharedBranch } from "./shared-branch.js";

const pingIntervalMilliseconds = 20_000;
/** Without a frame for so long, the connection is dead without knowing it. */
const silenceMilliseconds = 45_000;

/** A reader. Dispatches "changed" after each change of `branch` or `state`. */
export class SharedReader extends EventTarget {
    branch = new SharedBranch();
    /**
     * "connecting", "live", "still" (a snapshot, without a connection), "waiting" (for the next attempt)
     * or "ended": the link is not valid.
     */
    state = "connecting";

    #token;
    #socket = null;
    #attempt = 0;
    #heardAt = 0;
    #timer = null;

    /** The reader of the link with `token`. */
    constructor(token) {
        super();
        this.#token = token;
        setInterval(() => this.#ping(), pingIntervalMilliseconds);
        window.addEventListener("online", () => this.#wake());
        document.addEventListener("visibilitychange", () => this.#wake());
    }

    /** Connects and requests the branch. */
    open() {
        clearTimeout(this.#timer);
        const socket = new WebSocket(sharedSocketAddress(), ["stoa.v1"]);
        this.#socket = socket;
        this.#heardAt = Date.now();
        socket.addEventListener("open", () => this.#send({ op: "share.watch", token: this.#token }));
        socket.addEventListener("message", ({ data }) => {
            if (socket === this.#socket) this.#receive(JSON.parse(data));
        });
        socket.addEventListener("close", ({ code }) => {
            if (socket === this.#socket) this.#closed(code);
        });
    }

    /** Loads the page before the oldest message. */
    async loadOlder() {
        this.branch.prepend(await sharedPage(this.#token, this.branch.oldest));
        this.#changed();
    }

    #receive(frame) {
        this.#heardAt = Date.now();
        if (frame.ok?.page) {
            this.#attempt = 0;
            this.branch.adopt(frame.ok);
            this.state = this.branch.asOf ? "still" : "live";
            if (this.state === "still") this.#disconnect();
        } else if (frame.ev && !this.branch.apply(frame)) {
            this.#reconnect();
            return;
        }
        this.#changed();
    }

    #send(request) {
        this.#socket.send(JSON.stringify({ id: 1, ...request }));
    }

    #ping() {
        if (this.state !== "live") return;
        if (Date.now() - this.#heardAt > silenceMilliseconds) this.#reconnect();
        else this.#send({ op: "ping" });
    }

    #wake() {
        const isAway = this.state === "waiting" || this.state === "still";
        if (isAway && !this.#socket && document.visibilityState === "visible") this.open();
    }

    /** Watches again from the beginning. */
    #reconnect() {
        this.#disconnect();
        this.#closed(1006);
    }

    #disconnect() {
        const socket = this.#socket;
        this.#socket = null;
        socket.close();
    }

    #closed(code) {
        this.#socket = null;
        if (adviceOf(code) === "reconnect") {
            this.state = "waiting";
            this.#timer = setTimeout(() => this.open(), delayBefore(this.#attempt));
            this.#attempt += 1;
        } else {
            this.state = "ended";
        }
        this.#changed();
    }

    #changed() {
        this.dispatchEvent(new CustomEvent("changed"));
    }
}
