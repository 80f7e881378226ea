// The dialogs of the administration. Each is made when it is opened, and removed when it is closed.

import { element, setText } from "../../element.js";
import { text } from "../../language.js";

let latestNumber = 0;

/**
 * A labelled field for a dialog or a filter, as `{input, nodes}`. `options`, `[value, text]` pairs,
 * make it a select.
 */
export function labelled({ label, hint, options, ...attributes }) {
    const id = `administration-field-${++latestNumber}`;
    const hintID = hint ? `${id}-hint` : null;
    const all = { id, "aria-describedby": hintID, ...attributes };
    const { value } = attributes;
    const input = options
        ? element("select", { ...all, value: null }, options.map(
            ([name, words]) => element("option", { value: name, selected: name === value }, [words])))
        : element("input", { autocomplete: "off", ...all });
    const nodes = [element("label", { for: id }, [label]), input];
    if (hint) nodes.push(element("p", { id: hintID, class: "hint" }, [hint]));
    return { input, nodes };
}

/**
 * Opens a form. `act` runs when it is submitted; if it fails, the form stays open and shows why.
 * Resolves to what `act` resolved to, or undefined if the form was cancelled.
 */
export function askForm({ heading, lead, content = [], agree, isDanger = false, act, prepare }) {
    const id = `administration-dialog-${++latestNumber}`;
    const problem = element("p", { class: "form-error", role: "alert", "data-testid": "dialog-error" });
    const submit = element(
        "button", { class: isDanger ? "primary danger" : "primary", "data-testid": "dialog-agree" },
        [agree]);
    const cancel = element("button", { type: "button" }, [text("common.cancel")]);
    const form = element("form", { method: "dialog", class: "card" }, [
        element("h2", { id }, [heading]),
        ...(lead ? [element("p", { class: "hint" }, [lead])] : []),
        ...content, problem,
        element("div", { class: "buttons" }, [cancel, submit]),
    ]);
    const dialog = makeDialog(id, form, cancel);
    prepare?.(submit);
    let result;
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        problem.textContent = "";
        submit.disabled = true;
        try {
            result = await act() ?? true;
            dialog.close();
        } catch (error) {
            setText(problem, error.message);
        } finally {
            submit.disabled = false;
        }
    });
    return opened(dialog, () => result);
}

/** Asks whether to do something; what `act` does is as in `askForm`. */
export function askAgreement({ heading, lead, agree, act, isDanger = true }) {
    return askForm({ heading, lead, agree, act, isDanger });
}

/** Asks to type `word` before something that cannot be undone. */
export function askTyped({ heading, lead, word, agree, act }) {
    const field = labelled({
        label: text("administration.type", { word }), required: true, autocapitalize: "none",
        spellcheck: "false", "data-testid": "typed",
    });
    return askForm({
        heading, lead, agree, act, isDanger: true, content: field.nodes,
        prepare: (submit) => {
            const check = () => {
                submit.disabled = field.input.value !== word;
            };
            field.input.addEventListener("input", check);
            check();
        },
    });
}

/** Shows `content` until it is closed. */
export function showDialog({ heading, lead, content }) {
    const id = `administration-dialog-${++latestNumber}`;
    const done = element("button", { type: "button", "data-testid": "dialog-done" },
        [text("common.close")]);
    const card = element("div", { class: "card" }, [
        element("h2", { id }, [heading]), element("p", { class: "hint" }, [lead]), ...content,
        element("div", { class: "buttons" }, [done]),
    ]);
    return opened(makeDialog(id, card, done), () => true);
}

function makeDialog(labelledBy, card, closer) {
    const dialog = element("dialog", {
        "aria-labelledby": labelledBy, "data-testid": "administration-dialog",
    }, [card]);
    closer.addEventListener("click", () => dialog.close());
    return dialog;
}

/** Shows the dialog; afterwards the focus returns to where it was. */
function opened(dialog, resultOf) {
    const focused = document.activeElement;
    document.body.append(dialog);
    dialog.showModal();
    return new Promise((resolve) => {
        dialog.addEventListener("close", () => {
            dialog.remove();
            if (focused?.isConnected) focused.focus();
            resolve(resultOf());
        }, { once: true });
    });
}
