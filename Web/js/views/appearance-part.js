// The part "Appearance" of the account dialog: theme and density of this device.

import { appearance, densities, setAppearance, themes } from "../appearance.js";
import { element } from "../element.js";
import { text } from "../language.js";

/** The part, which shows the current choices whenever it is opened. */
export function appearancePart() {
    const groups = [
        choiceOf("theme", themes), choiceOf("density", densities),
    ];
    const part = element("details", { id: "appearance-part", "data-testid": "appearance-part" }, [
        element("summary", {}, [text("appearance.title")]),
        ...groups,
        element("p", { class: "hint" }, [text("appearance.hint")]),
    ]);
    part.addEventListener("toggle", () => {
        for (const input of part.querySelectorAll("input")) {
            input.checked = appearance()[input.name] === input.value;
        }
    });
    return part;
}

function choiceOf(name, values) {
    const options = values.map((value) => {
        const input = element("input", { type: "radio", name, value });
        input.addEventListener("change", () => setAppearance({ [name]: value }));
        return element("label", { class: "check" }, [input, text(`appearance.${name}.${value}`)]);
    });
    return element("fieldset", { class: "appearance-choice" }, [
        element("legend", {}, [text(`appearance.${name}`)]), ...options,
    ]);
}
