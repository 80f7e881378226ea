// How long links and temporary conversations last: choices of a select element.

import { element } from "./element.js";
import { text } from "./language.js";

const hour = 3600;
const day = 24 * hour;

/** The seconds and texts of all lifetimes. */
const lifetimes = {
    [hour]: () => text("lifetime.hour"),
    [day]: () => text("lifetime.day"),
    [7 * day]: () => text("lifetime.week"),
    [30 * day]: () => text("lifetime.month"),
};

/** All lifetimes, in seconds. */
export const lifetimeSeconds = Object.keys(lifetimes).map(Number);

/** The text of a lifetime: "in a week". */
export function lifetimeOf(seconds) {
    return lifetimes[seconds]();
}

/** A select element of lifetimes, whose empty value is `endless`, a text. */
export function lifetimeChooser(attributes, { endless, chosen = "" }) {
    const option = (value, label) =>
        element("option", { value, selected: String(value) === String(chosen) }, [label]);
    return element("select", attributes, [
        ...lifetimeSeconds.map((seconds) => option(seconds, lifetimeOf(seconds))),
        option("", endless),
    ]);
}
