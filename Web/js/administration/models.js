// The models of the server that was asked: their states, fetching another one, and cancelling that.

import { element } from "../element.js";
import { text } from "../language.js";
import { ModelRows } from "../views/models-dialog.js";
import { labelled } from "./parts/dialog.js";

/** Shows the models in `box`, and keeps them up to date. */
export function show(box, { models, act, say }) {
    const name = labelled({
        label: text("administration.models.name"), hint: text("administration.models.hint"),
        list: "administration-models", placeholder: text("administration.models.example"),
        required: true, maxlength: 200, autocapitalize: "none", spellcheck: "false",
        "data-testid": "model-name",
    });
    const suggestions = element("datalist", { id: "administration-models" });
    const [label, input, hint] = name.nodes;
    const submit = element("button", { class: "primary" }, [text("administration.models.fetch")]);
    const form = element("form", { class: "model-pull", hidden: true }, [
        label, element("div", { class: "invite-line" }, [input, submit]), hint, suggestions,
    ]);
    const list = element("ul", { class: "model-rows" });
    const none = element("p", { class: "hint", hidden: true }, [text("administration.models.off")]);
    const pull = (wanted) => act(async () => {
        await models.pull(wanted);
        say(text("administration.models.fetching", { name: wanted }));
    });
    const rows = new ModelRows(list, {
        cancel: (wanted) => act(() => models.cancel(wanted)), pull,
    });
    const draw = () => {
        rows.draw(models.all);
        submit.disabled = models.all.some(({ state }) => state === "fetching");
    };
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        if (await pull(input.value.trim())) input.value = "";
    });
    models.addEventListener("changed", draw);
    box.append(list, form, none, element("p", { class: "hint" }, [text("administration.models.others")]));
    draw();
    return {
        refresh: async () => {
            const names = await models.pullable();
            form.hidden = names === null;
            none.hidden = names !== null;
            suggestions.replaceChildren(
                ...(names ?? []).map((value) => element("option", { value })));
            draw();
        },
        close: () => models.removeEventListener("changed", draw),
    };
}
