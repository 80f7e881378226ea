// Repeats an action while the page is visible.

/** Runs `action` every so many milliseconds, one after the other. Returns a function that ends it. */
export function repeatWhileVisible(milliseconds, action) {
    let timer = null;
    let isRunning = false;
    let isEnded = false;
    const run = async () => {
        if (isRunning || isEnded || document.visibilityState !== "visible") return;
        clearTimeout(timer);
        isRunning = true;
        await action();
        isRunning = false;
        if (!isEnded) timer = setTimeout(run, milliseconds);
    };
    document.addEventListener("visibilitychange", run);
    timer = setTimeout(run, milliseconds);
    return () => {
        isEnded = true;
        clearTimeout(timer);
        document.removeEventListener("visibilitychange", run);
    };
}
