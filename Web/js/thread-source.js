// What the thread shows, read whenever it draws.

/**
 * The source of a `Thread`: the messages of `watcher`'s conversation, `unsent()`, the messages of the
 * outbox for it, and `rights()`, what the user may do.
 */
export function threadSource(watcher, unsent, rights) {
    return {
        get timeline() {
            return watcher.timeline;
        },
        get unsent() {
            return unsent();
        },
        get rights() {
            return rights();
        },
        loadOlder: () => watcher.loadOlder(),
    };
}
