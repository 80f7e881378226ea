// When to reconnect: what a close code allows, and the delay.

/** What a close code asks of a client: "reconnect", "sign-in" or "stay-away". */
export function adviceOf(closeCode) {
    if (closeCode >= 4100 && closeCode <= 4199) return "sign-in";
    if (closeCode >= 4200 && closeCode <= 4299) return "stay-away";
    // The server rejected one of our frames (RFC 6455, section 7.4.1); it would do so again.
    if ([1002, 1003, 1007, 1008, 1009].includes(closeCode)) return "stay-away";
    return "reconnect";
}

const firstDelayMilliseconds = 400;
const longestDelayMilliseconds = 20_000;

/**
 * The delay before attempt number `attempt` (0 for the first one), in milliseconds. Half of it is
 * random, so that clients do not reconnect to a restarted server all at once.
 */
export function delayBefore(attempt, random = Math.random) {
    const doubled = firstDelayMilliseconds * 2 ** Math.min(attempt, 10);
    const ceiling = Math.min(doubled, longestDelayMilliseconds);
    return ceiling / 2 + random() * ceiling / 2;
}
