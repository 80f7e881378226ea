// The server's HTTP routes that the page uses: signing in and out, and export addresses. The
// browser sends the session cookie; scripts never hold a token.

import { errorText } from "./error-texts.js";
import { text as worded } from "./language.js";

/** A refusal by the server, over HTTP or WebSocket, or a failure to reach it. */
export class RequestError extends Error {
    /** The provider for signing in: `{provider}`; null if there is none. */
    openID = null;

    /** `code` is one of the protocol's, or "unreachable"; `retryAfter` is in seconds. */
    constructor({ code, message, retry_after: retryAfter }) {
        super(message);
        this.name = "RequestError";
        this.code = code;
        this.retryAfter = retryAfter ?? null;
        /** The time of the next useful attempt, if the server states it; else null. */
        this.possibleAt = this.retryAfter === null
            ? null : new Date(Date.now() + this.retryAfter * 1000).toISOString();
    }

    /** The server's error, `{code, message, retry_after}`, in the user's language. */
    static from(error) {
        return new RequestError({ ...error, message: errorText(error) });
    }

    /** Whether the same request may succeed later, unchanged (the protocol's list of codes). */
    get isRetryable() {
        const passing = ["rate_limited", "busy", "unavailable", "internal", "engine_failed", "unreachable"];
        return passing.includes(this.code);
    }
}

/** The signed-in user, or null. Throws `RequestError` if the server can't be reached. */
export async function currentUser() {
    try {
        return (await send("GET", "/api/v1/session")).user;
    } catch (error) {
        if (error.code === "unauthenticated") return null;
        throw error;
    }
}

/** The server's OpenID provider for signing in, as `{provider}`; null for none. */
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

/** Creates the account of a sign-up link, and signs in. */
export async function signUp(token, username, password) {
    return (await send("POST", "/api/v1/sign-up", { token, username, password })).user;
}

/** Sets a password with a one-time link, without signing in. */
export async function resetPassword(token, password) {
    await send("POST", "/api/v1/reset", { token, password });
}

/** Ends the session. */
export async function signOut() {
    await send("DELETE", "/api/v1/session");
}

/**
 * Imports a file, or with `isTrial` checks what would be imported. `onProgress(sent, total)` is called
 * with bytes while the file is sent; `signal` ends it. Resolves to `{report, error?}`: the result, and
 * the refusal that ended it early.
 */
export async function importFile(file, { isTrial, onProgress, signal }) {
    const { status, text } = await upload(`/api/v1/import?dry_run=${isTrial}`, file, onProgress, signal);
    const reply = parsed(text);
    const error = status >= 200 && status < 300 ? null : errorOf(reply, status, "internal");
    if (!reply.report) throw error ?? errorOf({}, status, "internal");
    return { report: reply.report, error };
}

/** Sends a file. `fetch` does not report how much of a body has been sent. */
function upload(path, file, onProgress, signal) {
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        const fail = () => reject(unreachable());
        request.open("POST", path);
        request.setRequestHeader("content-type", "application/octet-stream");
        request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(loaded, total));
        request.addEventListener("load", () =>
            resolve({ status: request.status, text: request.responseText }));
        request.addEventListener("error", fail);
        request.addEventListener("abort", () => reject(signal.reason));
        signal.addEventListener("abort", () => request.abort());
        request.send(file);
    });
}

/**
 * Downloads a file completely. `onProgress(received)` is called with bytes. Resolves to `{blob, name}`.
 * Throws `RequestError` if the server refuses it or the transfer ends early.
 */
export async function downloadFile(path, { onProgress, signal }) {
    try {
        const response = await fetch(path, { cache: "no-store", signal });
        if (!response.ok) throw refusalOf(response, await response.json().catch(() => ({})));
        return { blob: await bodyOf(response, onProgress), name: nameOf(response) };
    } catch (error) {
        if (signal.aborted || error instanceof RequestError) throw error;
        throw unreachable();
    }
}

/** The body, in blobs of some MiB, which browsers keep on disk. */
async function bodyOf(response, onProgress) {
    const type = response.headers.get("content-type") ?? "";
    let [blobs, chunks, chunkBytes, received] = [[], [], 0, 0];
    for (const reader = response.body.getReader(); ;) {
        const { done, value } = await reader.read();
        if (done) return new Blob([...blobs, ...chunks], { type });
        chunks.push(value);
        chunkBytes += value.byteLength;
        received += value.byteLength;
        if (chunkBytes > blobBytes) {
            blobs.push(new Blob(chunks));
            [chunks, chunkBytes] = [[], 0];
        }
        onProgress(received);
    }
}

const blobBytes = 4 << 20;

/** The file name that the server proposes. */
function nameOf(response) {
    const disposition = response.headers.get("content-disposition") ?? "";
    return /filename="([^"]+)"/.exec(disposition)?.[1] ?? "stoa-export";
}

/** The download address of a conversation; `format` is one of docs/reference/protocol.md's. */
export function exportAddress(conversation, format) {
    return `/api/v1/conversations/${encodeURIComponent(conversation)}/export?format=${format}`;
}

/** The download address of all that a scope contains: `me`, or `team:ID`. */
export function exportScopeAddress(scope) {
    return `/api/v1/export?scope=${scope}&format=stoa`;
}

/** The receipt of an answer: docs/use/receipts.md. */
export async function receiptOf(conversation, message) {
    const path = [conversation, "messages", message].map(encodeURIComponent).join("/");
    return await send("GET", `/api/v1/conversations/${path}/receipt`);
}

/** A page of the conversation of a read-only link, before a message. */
export async function sharedPage(token, before) {
    const query = new URLSearchParams({ before });
    return await send("GET", `/api/v1/shared/${encodeURIComponent(token)}?${query}`);
}

/** The WebSocket's address. */
export function socketAddress() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    return `${scheme}//${location.host}/ws`;
}

/** The WebSocket's address for readers with a read-only link. */
export function sharedSocketAddress() {
    return `${socketAddress()}?shared`;
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
        throw unreachable();
    }
    const reply = await response.json().catch(() => ({}));
    if (response.ok) return reply;
    throw refusalOf(response, reply);
}

function refusalOf({ status }, reply) {
    const code = status === 401 ? "unauthenticated" : "internal";
    const refusal = errorOf(reply, status, code);
    refusal.openID = reply.openid ?? null;
    return refusal;
}

function errorOf({ error }, status, code) {
    if (error) return RequestError.from(error);
    return new RequestError({ code, message: worded("error.status", { status }) });
}

function unreachable() {
    return new RequestError({ code: "unreachable", message: worded("error.unreachable") });
}

function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        return {};
    }
}
