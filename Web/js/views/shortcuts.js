// The sheet of shortcuts: the commands of commands.js that have keys.

import { chordText, commands, groups } from "../commands.js";
import { element } from "../element.js";
import { text } from "../language.js";
import { makeDialog } from "./dialogs.js";

/** How keys are written on this device. */
export const keyStyle = {
    isMac: /mac|iphone|ipad/i.test(navigator.userAgentData?.platform ?? navigator.platform ?? ""),
    nameOf: (key) => text(`key.${key}`),
};

let sheet = null;

/** Opens it. */
export function openShortcuts() {
    sheet ??= makeDialog("shortcuts", text("shortcuts.title"), [
        ...groups.flatMap((group) => groupOf(group)),
        element("div", { class: "buttons" }, [
            element("button", { type: "button", "data-close": true }, [text("common.close")]),
        ]),
    ]);
    // The sheet itself has the focus, at its top: the arrow keys scroll it.
    sheet.autofocus = true;
    sheet.showModal();
}

function groupOf(group) {
    const rows = commands.filter((command) => command.group === group && command.keys.length > 0);
    return [
        element("h3", {}, [text(`shortcuts.${group}`)]),
        element("dl", { class: "shortcuts" }, rows.map(({ id, keys }) => element("div", {}, [
            element("dt", {}, [text(`command.${id}`)]),
            element("dd", {}, keys.flatMap((chord, index) => [
                ...(index > 0 ? [` ${text("shortcuts.or")} `] : []),
                element("kbd", {}, [chordText(chord, keyStyle)]),
            ])),
        ]))),
    ];
}
