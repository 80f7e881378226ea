// A chart of the tokens of each day. It is an image with a description: the figures are in a table.

import { drawing } from "../../element.js";
import { text } from "../../language.js";
import { dayOf, figureOf } from "../format.js";
import { barsOf, namedOf, ticksOf } from "../usage-figures.js";

/** The place of the bars, and how many days are named below them. */
const wide = { width: 720, height: 160, namesMax: 6 };
const narrow = { width: 240, height: 130, namesMax: 2 };
/** Room for the figures at the left, and for the days below. */
const margin = { left: 76, top: 10, bottom: 24, right: 8 };

/** The chart of `days`, `[{day, used}]`, that `description` describes. */
export function usageChart(days, description) {
    const size = matchMedia("(max-width: 760px)").matches ? narrow : wide;
    const most = Math.max(0, ...days.map(({ used }) => used));
    const ticks = ticksOf(most);
    const top = ticks.at(-1);
    const bars = barsOf(days.map(({ used }) => used), top, size);
    const { left, bottom, right } = margin;
    const box = [
        -left, -margin.top, left + size.width + right, margin.top + size.height + bottom,
    ];
    return drawing("svg", {
        class: "chart", viewBox: box.join(" "), role: "img", "aria-label": description,
        "data-testid": "usage-chart",
    }, [
        ...ticks.flatMap((tick) => tickParts(tick, size.width, size.height * (1 - tick / top))),
        ...bars.map((bar, index) => drawing("rect", { class: "bar", rx: 1.5, ...bar }, [
            drawing("title", {}, [text("administration.usage.bar", {
                day: dayOf(days[index].day), count: days[index].used,
            })]),
        ])),
        ...namedOf(days.length, size.namesMax).map((index) => drawing("text", {
            class: "label", x: bars[index].x, y: size.height + 17,
        }, [dayOf(days[index].day)])),
    ]);
}

function tickParts(tick, width, y) {
    return [
        drawing("line", { class: "rule", x1: 0, x2: width, y1: y, y2: y }),
        drawing("text", { class: "label figure", x: -8, y: y + 4 }, [figureOf(tick)]),
    ];
}
