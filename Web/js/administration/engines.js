// The engines on other machines, as the server that was asked sees them: adding, draining and removing
// them.

import { element, setAttribute } from "../element.js";
import { enumerated, text } from "../language.js";
import { figureOf } from "./format.js";
import { askForm, labelled } from "./parts/dialog.js";
import { repeatWhileVisible } from "./parts/repeat.js";
import { PagedTable } from "./parts/table.js";

const refreshMilliseconds = 5_000;

/** Shows the engines in `box`, and keeps them up to date. */
export function showEngines(box, { connection, act, follow, say }) {
    const drain = async ({ label, state }) => {
        const draining = state !== "draining";
        await act(async () => {
            await connection.request("engine.drain", { label, draining });
            await table.refresh();
            say(text(draining ? "administration.engines.drained" : "administration.engines.resumed", {
                label,
            }));
        });
    };
    const remove = async ({ label }) => {
        const box = element("input", { type: "checkbox", "data-testid": "engine-remove-now" });
        const isDone = await askForm({
            heading: text("administration.engines.remove.heading", { label }),
            lead: text("administration.engines.remove.lead"),
            content: [element("label", { class: "check" },
                [box, text("administration.engines.remove.now")])],
            agree: text("administration.engines.remove"),
            isDanger: true,
            act: () => connection.request("engine.remove", { label, now: box.checked }),
        });
        if (!isDone) return;
        await act(() => table.refresh());
        say(text("administration.engines.removed", { label }));
    };
    const table = new PagedTable({
        label: text("administration.engines"),
        none: text("administration.engines.none"),
        keyOf: ({ label }) => label,
        act,
        load: async () => ({ rows: (await connection.request("engine.list", {})).engines }),
        columns: columns({ drain, remove }),
    });
    const add = element("button", { type: "button", "data-testid": "engine-new" },
        [text("administration.engines.new")]);
    add.addEventListener("click", async () => {
        const label = await askEngine(connection);
        if (!label) return;
        await act(() => table.refresh());
        say(text("administration.engines.added", { label }));
    });
    box.append(
        element("h3", {}, [text("administration.engines")]),
        element("p", { class: "hint" }, [text("administration.engines.lead")]),
        element("div", { class: "engines", "data-testid": "engines" }, [table.node]),
        element("div", { class: "buttons" }, [add]));
    return {
        refresh: () => table.refresh(),
        close: repeatWhileVisible(refreshMilliseconds, () => follow(() => table.refresh())),
    };
}

function columns({ drain, remove }) {
    return [
        { title: text("administration.engines.label"),
            cell: ({ label }) => element("span", { dir: "auto" }, [label]) },
        { title: text("administration.model"), cell: ({ model }) => model },
        { title: text("administration.state"), cell: stateOf },
        { title: text("administration.engines.kind"), cell: ({ kind = "" }) => kind },
        { title: text("administration.engines.running"), isFigure: true,
            cell: ({ running, slots }) => text("administration.engines.of", { running, slots }) },
        { title: text("administration.engines.load"), cell: loadOf },
        { title: text("administration.actions"), cell: (engine) => {
            const isDraining = engine.state === "draining";
            const turn = isDraining ? "resume" : "drain";
            return [
                ...(["removed", "unusable"].includes(engine.state)
                    ? [] : [button(turn, engine, () => drain(engine))]),
                ...(engine.source === "administrators"
                    ? [button("remove", engine, () => remove(engine))] : []),
            ];
        } },
    ];
}

function button(action, { label }, act) {
    const node = element("button", {
        type: "button", class: action === "remove" ? "danger" : null,
        "data-testid": `engine-${action}`,
    }, [text(`administration.engines.${action}`)]);
    setAttribute(node, "aria-label", text(`administration.engines.${action}.of`, { label }));
    node.addEventListener("click", act);
    return node;
}

/** The state, and what was wrong last. */
function stateOf({ state, source, fault }) {
    const words = text(`administration.engines.state.${state}`);
    const origin = source === "settings" ? text("administration.engines.settings") : null;
    return [
        enumerated([words, origin].filter(Boolean)),
        ...(fault ? [element("p", { class: "hint", dir: "auto" }, [fault])] : []),
    ];
}

/** The requests of all its clients; empty if it does not tell. */
function loadOf({ running_there: running, waiting_there: waiting }) {
    if (running === undefined || waiting === undefined) return "";
    return text("administration.engines.load.of", {
        running: figureOf(running), waiting: figureOf(waiting),
    });
}

/** Asks for an engine, and adds it. Resolves to its label; undefined if it was cancelled. */
function askEngine(connection) {
    const plain = { autocapitalize: "none", spellcheck: "false" };
    const url = labelled({
        label: text("administration.engines.url"), placeholder: "http://gpu1:8000/v1", type: "url",
        required: true, "data-testid": "engine-url", ...plain,
    });
    const there = labelled({
        label: text("administration.engines.there"), placeholder: "microsoft/phi-4",
        required: true, "data-testid": "engine-model", ...plain,
    });
    const here = labelled({
        label: text("administration.engines.here"), placeholder: "phi-4",
        "data-testid": "engine-name", ...plain,
    });
    const words = labelled({
        label: text("administration.engines.words"), hint: text("administration.engines.words.hint"),
        "data-testid": "engine-words", ...plain,
    });
    return askForm({
        heading: text("administration.engines.new"),
        lead: text("administration.engines.new.lead"),
        content: [url, there, here, words].flatMap(({ nodes }) => nodes),
        agree: text("administration.engines.new.agree"),
        act: async () => {
            const engine = engineOf({
                url: url.input.value, there: there.input.value, here: here.input.value,
                words: words.input.value,
            });
            return (await connection.request("engine.add", { engine })).engine.label;
        },
    });
}

/** The words of an engine, from the fields of the form. */
export function engineOf({ url, there, here, words }) {
    return [
        url.trim(), `model=${there.trim()}`, here.trim() ? `as=${here.trim()}` : "",
        ...words.trim().split(/\s+/u),
    ].filter(Boolean).join(" ");
}
