// When to come back after a connection ended: what a close code asks for, and how long to wait.

/** What a close code asks of a client: "reconnect", "sign-in" or "stay-away". */
export function adviceOf(closeCode) {
    if (closeCode >= 4100 && closeCode <= 4199) return "sign-in";
    if (closeCode >= 4200 && closeCode <= 4299) return "stay-away";
    // A frame of ours was unacceptable (RFC 6455, section 7.4.1): it would be so again.
    if ([1002, 1003, 1007, 1008, 1009].includes(closeCode)) return "stay-away";
    return "reconnect";
}

const firstDelayMilliseconds = 400;
const longestDelayMilliseconds = 20_000;

/**
 * How long to wait before attempt number `attempt` (0 for the first after a loss), in milliseconds.
 * Half of it is chance, so that a restarted server does not meet all its readers at once.
 */
export function delayBefore(attempt, random = Math.random) {
    const doubled = firstDelayMilliseconds * 2 ** Math.min(attempt, 10);
    const ceiling = Math.min(doubled, longestDelayMilliseconds);
    return ceiling / 2 + random() * ceiling / 2;
}
