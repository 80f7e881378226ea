// Everything that a key or the palette does, in one table: the sheet of shortcuts, the palette and the
// keyboard read it, so that they cannot disagree.

/**
 * The commands. `keys`: chords, such as "mod+k" ("mod" is Ctrl, on a Mac Cmd), the first of which is
 * shown. `group`: the heading in the sheet. `run(page)`: what it does, with what `CommandTarget` of
 * keyboard.js offers; a command without it is done by the part that has the focus, and only listed.
 * `isPossible(page)`: whether it has an effect now. The text of each is `command.ID`.
 */
export const commands = [
    { id: "palette", group: "everywhere", keys: ["mod+k"], run: (page) => page.openPalette() },
    {
        id: "new-conversation", group: "everywhere", keys: ["mod+shift+o", "n"],
        run: (page) => page.press("new-conversation"),
    },
    {
        id: "search", group: "everywhere", keys: ["/", "mod+shift+f"],
        run: (page) => page.focusSearch(),
    },
    {
        id: "focus-composer", group: "everywhere", keys: ["shift+escape", "c"],
        run: (page) => page.focusComposer(),
    },
    {
        id: "next-conversation", group: "everywhere", keys: ["alt+arrowdown"],
        run: (page) => page.stepConversation(1),
    },
    {
        id: "previous-conversation", group: "everywhere", keys: ["alt+arrowup"],
        run: (page) => page.stepConversation(-1),
    },
    {
        id: "conversation-settings", group: "everywhere", keys: ["mod+,"],
        isPossible: (page) => page.offersAction("settings"),
        run: (page) => page.runAction("settings"),
    },
    ...["rename", "invite", "share", "export", "pin", "archive", "leave", "delete"].map((id) => ({
        id,
        group: "everywhere",
        keys: [],
        isPossible: (page) => page.offersAction(id),
        run: (page) => page.runAction(id),
    })),
    ...[
        ["teams", "teams-open"], ["models", "models-open"],
        ["administration", "administration-open"], ["account", "account-open"],
    ].map(([id, button]) => ({
        id,
        group: "everywhere",
        keys: [],
        isPossible: (page) => page.offers(button),
        run: (page) => page.press(button),
    })),
    ...["system", "light", "dark"].map((theme) => ({
        id: `theme-${theme}`,
        group: "everywhere",
        keys: [],
        run: (page) => page.setAppearance({ theme }),
    })),
    ...["comfortable", "compact"].map((density) => ({
        id: `density-${density}`,
        group: "everywhere",
        keys: [],
        run: (page) => page.setAppearance({ density }),
    })),
    { id: "stop", group: "everywhere", keys: ["escape"] },
    { id: "shortcuts", group: "everywhere", keys: ["?", "mod+/"], run: (page) => page.openSheet() },

    { id: "send", group: "composer", keys: ["enter"] },
    { id: "line-break", group: "composer", keys: ["shift+enter"] },
    { id: "last-message", group: "composer", keys: ["arrowup"] },

    {
        id: "previous-message", group: "messages", keys: ["k", "arrowup"],
        run: (page) => page.stepMessage(-1),
    },
    {
        id: "next-message", group: "messages", keys: ["j", "arrowdown"],
        run: (page) => page.stepMessage(1),
    },
    ...[
        ["copy-message", "y", ".copy-answer"], ["edit-message", "e", "[data-action=edit]"],
        ["answer-again", "r", "[data-action=again]"],
        ["continue-answer", "g", "[data-action=continue]"],
        ["good-answer", "+", "[data-action=good]"], ["bad-answer", "-", "[data-action=bad]"],
        ["previous-version", "[", "[data-action=previous]"],
        ["next-version", "]", "[data-action=next]"],
        ["fork-message", "f", "[data-action=fork]"],
        ["delete-message", "delete", "[data-action=delete]"],
    ].map(([id, key, button]) => ({
        id,
        group: "messages",
        // The delete key of a Mac is Backspace.
        keys: key === "delete" ? [key, "backspace"] : [key],
        isPossible: (page) => page.messageOffers(button),
        run: (page) => page.pressInMessage(button),
    })),
];

/** The groups, in the order of the sheet. */
export const groups = ["everywhere", "composer", "messages"];

/** The commands that the palette lists: those that can be run from anywhere, now. */
export function listedCommands(page) {
    return commands.filter((command) => command.run && command.group === "everywhere"
        && command.id !== "palette" && (command.isPossible?.(page) ?? true));
}

/**
 * The command of a keyboard event, or null. Keys without Ctrl, Cmd or Alt have none while the user
 * types (`isTyping`), Shift+Escape excepted.
 */
export function commandOf(event, isTyping) {
    const pressed = chordsOf(event);
    return commands.find(({ keys, run }) => run && keys.some((chord) => pressed.includes(chord)
        && (!isTyping || /^(mod|alt)\+|^shift\+escape$/.test(chord)))) ?? null;
}

/**
 * The chords that an event can mean: Shift is a part of a character like "?", but not of a named key
 * or after "mod".
 */
function chordsOf({ key, ctrlKey, metaKey, altKey, shiftKey }) {
    const name = key.toLowerCase();
    const before = `${ctrlKey || metaKey ? "mod+" : ""}${altKey ? "alt+" : ""}`;
    if (before === "" && [...key].length === 1) return [name === key || !shiftKey ? name : ""];
    return [`${before}${shiftKey ? "shift+" : ""}${name}`];
}

/** A chord as people read it: "Ctrl K", on a Mac "⌘ K". `nameOf(key)` names keys like "enter". */
export function chordText(chord, { isMac, nameOf }) {
    const marks = isMac
        ? { mod: "⌘", shift: "⇧", alt: "⌥" } : { mod: "Ctrl", shift: nameOf("shift"), alt: "Alt" };
    return chord.split(/\+(?=.)/).map((part) => marks[part]
        ?? (part.length === 1 ? part.toUpperCase() : nameOf(part))).join(" ");
}
