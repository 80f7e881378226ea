// The models of the server that was asked: their states, loading and unloading them, the default one,
// fetching another one, and cancelling that.

import { element } from "../element.js";
import { text } from "../language.js";
import { ModelNeeds } from "../model-needs.js";
import { ModelRows } from "../views/models-dialog.js";
import { showEngines } from "./engines.js";
import { askAgreement, labelled } from "./parts/dialog.js";

/** Shows the models in `box`, and keeps them up to date. */
export function show(box, context) {
    const { models, act, say } = context;
    const list = element("ul", { class: "model-rows" });
    const done = (action, key) => (name) => act(async () => {
        await action(name);
        say(text(key, { name }));
    });
    const pull = done((name) => models.pull(name), "administration.models.fetching");
    const rows = new ModelRows(list, {
        cancel: (name) => act(() => models.cancel(name)), pull,
        makeDefault: done(
            (name) => models.makeDefault(name), "administration.models.default"),
        load: done((name) => models.load(name), "administration.models.loading"),
        unload: (name) => askUnload(name, models, say),
    });
    const form = fetchForm(models, pull);
    const draw = () => {
        rows.draw(models.all);
        form.draw(models.all.some(({ state }) => state === "fetching"));
    };
    models.addEventListener("changed", draw);
    box.append(list, ...form.nodes,
        element("p", { class: "hint" }, [text("administration.models.others")]));
    const engines = showEngines(box, context);
    draw();
    return {
        refresh: async () => {
            form.offer(await models.offers());
            draw();
            await engines.refresh();
        },
        close: () => {
            models.removeEventListener("changed", draw);
            engines.close();
        },
    };
}

/** Asks before a model is unloaded: others may be using it. */
async function askUnload(name, models, say) {
    const isDone = await askAgreement({
        heading: text("administration.models.unload.heading", { name }),
        lead: text("administration.models.unload.lead", { other: models.default?.name ?? "" }),
        agree: text("model.unload"),
        act: () => models.unload(name),
        isDanger: false,
    });
    if (isDone) say(text("administration.models.unloading", { name }));
}

/** The form that fetches a model, as `{nodes, draw, offer}`; `pull` gets the typed name. */
function fetchForm(models, pull) {
    const name = labelled({
        label: text("administration.models.name"), hint: text("administration.models.hint"),
        list: "administration-models", placeholder: text("administration.models.example"),
        required: true, maxlength: 200, autocapitalize: "none", spellcheck: "false",
        "data-testid": "model-name",
    });
    const suggestions = element("datalist", { id: "administration-models" });
    const [label, input, hint] = name.nodes;
    const submit = element("button", { class: "primary" }, [text("administration.models.fetch")]);
    const note = element("p", { class: "hint", role: "status", "data-testid": "model-memory" });
    const warning = element("p", {
        class: "form-error", role: "status", "data-testid": "model-memory-warning",
    });
    const form = element("form", { class: "model-pull", hidden: true }, [
        label, element("div", { class: "invite-line" }, [input, submit]), hint, note, warning,
        suggestions,
    ]);
    const none = element("p", { class: "hint", hidden: true }, [text("administration.models.off")]);
    const needs = new ModelNeeds(models, { input, note, warning });
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        if (await pull(input.value.trim())) input.value = "";
        needs.draw();
    });
    return {
        nodes: [form, none],
        draw: (isFetching) => {
            submit.disabled = isFetching;
        },
        offer: ({ names, memory }) => {
            form.hidden = names === null;
            none.hidden = names !== null;
            suggestions.replaceChildren(
                ...(names ?? []).map((value) => element("option", { value })));
            needs.offer({ names, memory });
        },
    };
}
