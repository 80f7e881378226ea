// The actions on a message of the thread, for the buttons below it.

/** What `Bubble` takes: `tree` are the `TreeActions`, `thread()` is the thread that shows them. */
export function messageActions({ tree, outbox, receipts, watcher, thread }) {
    const showSibling = (message, step) => tree.showSibling(
        message, step, (target, show) => thread().swap(message.id, target, step, show));
    return {
        showSibling,
        stop: (message) => tree.stop(message),
        retry: (key) => outbox.retry(key),
        discard: (key) => outbox.discard(key),
        edit: (message, edited) => tree.edit(message, edited),
        regenerate: (message) => tree.regenerate(message),
        proceed: (message) => tree.proceed(message),
        fork: (message) => tree.fork(message),
        remove: (message) => tree.remove(message),
        rate: (message, rating) => tree.rate(message, rating),
        hold: () => tree.hold(),
        showReceipt: (message) => receipts.open(message),
        compare: (message) => tree.compare(message, (id) => {
            const siblings = watcher.timeline?.siblingsOf(message.id) ?? [];
            if (!siblings.includes(id)) return;
            showSibling(message, siblings.indexOf(id) - siblings.indexOf(message.id));
        }),
    };
}
