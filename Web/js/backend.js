// The server's HTTP routes that the page uses: signing in and out, and the addresses of exports.
// The session cookie travels by itself; no token is ever held here.

/** A refusal by the server, over HTTP or over the WebSocket, or a failure to reach it. */
export class RequestError extends Error {
    /** The provider that nobody in particular may sign in with: `{provider}`; null for none. */
    openID = null;

    /** `code` is one of the protocol's, or "unreachable"; `retryAfter` is in seconds. */
    constructor({ code, message, retry_after: retryAfter }) {
        super(message);
        this.name = "RequestError";
        this.code = code;
        this.retryAfter = retryAfter ?? null;
        /** When the server says that it is worth another try; null where it does not say. */
        this.possibleAt = this.retryAfter === null
            ? null : new Date(Date.now() + this.retryAfter * 1000).toISOString();
    }

    /** Whether the same request may succeed later, unchanged (the protocol's list of codes). */
    get isRetryable() {
        const passing = ["rate_limited", "busy", "unavailable", "internal", "engine_failed", "unreachable"];
        return passing.includes(this.code);
    }
}

/** Who is signed in, or null. Throws `RequestError` where the server can't be asked. */
export async function currentUser() {
    try {
        return (await send("GET", "/api/v1/session")).user;
    } catch (error) {
        if (error.code === "unauthenticated") return null;
        throw error;
    }
}

/** The OpenID provider that the server offers to sign in with, as `{provider}`; null for none. */
export async function openIDOffer() {
    try {
        await send("GET", "/api/v1/session");
        return null;
    } catch (error) {
        return error.openID;
    }
}

/** Signs in and returns the user; the server sets the cookie. */
export async function signIn(username, password) {
    return (await send("POST", "/api/v1/session", { username, password })).user;
}

/** Makes the account that a sign-up link stands for, and signs in. */
export async function signUp(token, username, password) {
    return (await send("POST", "/api/v1/sign-up", { token, username, password })).user;
}

/** Sets a password by a one-time link. It signs nobody in. */
export async function resetPassword(token, password) {
    await send("POST", "/api/v1/reset", { token, password });
}

/** Ends the session. */
export async function signOut() {
    await send("DELETE", "/api/v1/session");
}

/**
 * Brings a file in, or with `isTrial` says what would come of it. Resolves to `{report, error?}`: what
 * was done, and the refusal that ended it early.
 */
export async function importFile(file, isTrial) {
    let response;
    try {
        response = await fetch(`/api/v1/import?dry_run=${isTrial}`, {
            method: "POST",
            cache: "no-store",
            headers: { "content-type": "application/octet-stream" },
            body: file,
        });
    } catch {
        throw new RequestError({ code: "unreachable", message: "The server can't be reached." });
    }
    const reply = await response.json().catch(() => ({}));
    const message = `The server answered with status ${response.status}.`;
    const error = response.ok ? null
        : new RequestError(reply.error ?? { code: "internal", message });
    if (!reply.report) throw error ?? new RequestError({ code: "internal", message });
    return { report: reply.report, error };
}

/** Where a conversation is downloaded from; `format` is one of docs/reference/protocol.md's. */
export function exportAddress(conversation, format) {
    return `/api/v1/conversations/${encodeURIComponent(conversation)}/export?format=${format}`;
}

/** How an answer was made: docs/use/receipts.md. */
export async function receiptOf(conversation, message) {
    const path = [conversation, "messages", message].map(encodeURIComponent).join("/");
    return await send("GET", `/api/v1/conversations/${path}/receipt`);
}

/** Where the WebSocket is. */
export function socketAddress() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    return `${scheme}//${location.host}/ws`;
}

async function send(method, path, body) {
    let response;
    try {
        response = await fetch(path, {
            method,
            cache: "no-store",
            headers: body ? { "content-type": "application/json" } : {},
            body: body ? JSON.stringify(body) : undefined,
        });
    } catch {
        throw new RequestError({ code: "unreachable", message: "The server can't be reached." });
    }
    const reply = await response.json().catch(() => ({}));
    if (response.ok) return reply;
    const code = response.status === 401 ? "unauthenticated" : "internal";
    const message = `The server answered with status ${response.status}.`;
    const refusal = new RequestError(reply.error ?? { code, message });
    refusal.openID = reply.openid ?? null;
    throw refusal;
}
