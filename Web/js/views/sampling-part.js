// How answers are generated, in the settings dialog: each setting with what it does and its default.

import { element } from "../element.js";
import { text } from "../language.js";
import { linesOf, textsIn } from "../stop-texts.js";

const numbers = {
    temperature: { min: "0", max: "2", step: "any", inputmode: "decimal" },
    top_p: { min: "0.01", max: "1", step: "any", inputmode: "decimal" },
    max_tokens: { min: "1", max: "1000000", step: "1", inputmode: "numeric" },
    max_thinking_tokens: { min: "0", max: "1000000", step: "1", inputmode: "numeric" },
    seed: { min: "0", max: "9007199254740991", step: "1", inputmode: "numeric" },
};

/** The part. Its node goes into the dialog's form. */
export class SamplingPart {
    /** The details element. */
    node;

    #fields = {};
    #stop;

    constructor() {
        for (const [name, attributes] of Object.entries(numbers)) {
            this.#fields[name] = element("input", {
                ...namesOf(name), ...attributes, type: "number",
                placeholder: text("sampling.default"),
            });
        }
        this.#stop = element("textarea", {
            ...namesOf("stop"), rows: "2", spellcheck: "false",
            placeholder: text("sampling.stop.none"),
        });
        this.node = element("details", { "data-testid": "settings-sampling" }, [
            element("summary", {}, [text("sampling.title")]),
            ...Object.entries({ ...this.#fields, stop: this.#stop })
                .flatMap(([name, field]) => rowOf(name, field)),
        ]);
    }

    /** Shows a conversation's settings. What differs from the defaults is not folded away. */
    show(settings) {
        for (const [name, field] of Object.entries(this.#fields)) field.value = settings[name] ?? "";
        this.#stop.value = linesOf(settings.stop);
        this.node.open = Object.values(settings).some((value) => value !== undefined);
    }

    /** The settings in the fields; an empty field is undefined, which selects the default. */
    get values() {
        const values = { stop: textsIn(this.#stop.value) };
        for (const [name, { valueAsNumber }] of Object.entries(this.#fields)) {
            values[name] = Number.isNaN(valueAsNumber) ? undefined : valueAsNumber;
        }
        return values;
    }
}

/** Whether two objects of settings say the same. */
export function isSameSampling(one, other) {
    return Object.keys(numbers).every((name) => one[name] === other[name])
        && linesOf(one.stop) === linesOf(other.stop);
}

function namesOf(name) {
    const id = `settings-${name.replaceAll("_", "-")}`;
    return { id, "data-testid": id, "aria-describedby": `${id}-hint` };
}

function rowOf(name, field) {
    return [
        element("label", { for: field.id }, [text(`sampling.${name}`)]),
        field,
        element("p", { id: `${field.id}-hint`, class: "hint" }, [text(`sampling.${name}.hint`)]),
    ];
}
