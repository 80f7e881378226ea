// What a user or a team used today and this month, and their limits in tokens.

import { element } from "../../element.js";
import { text } from "../../language.js";
import { limitIn, momentOf, useOf } from "../format.js";
import { askForm, labelled } from "./dialog.js";

/** A budget. `ownerOf` returns `{user}` or `{team}`; `hint` says what holds without a limit. */
export class BudgetPart {
    node;

    #context;
    #options;
    #usage = null;
    #lines = element("dl", { class: "facts", "data-testid": "usage" });

    constructor(context, options) {
        this.#context = context;
        this.#options = options;
        const change = element(
            "button", { type: "button", "data-testid": "budget-change", class: "begins" },
            [text("administration.budget.change")]);
        change.addEventListener("click", () => this.#ask());
        this.node = element("div", {}, [this.#lines, change]);
    }

    /** Loads it. */
    async refresh() {
        this.#usage = await this.#context.connection.request("usage.get", this.#options.ownerOf());
        this.#lines.replaceChildren(...["day", "month"].flatMap((period) => {
            const { resets_at: end, ...use } = this.#usage[period];
            const meter = use.limit > 0 ? [element("meter", {
                max: use.limit, high: use.limit * 0.9, value: use.used + (use.reserved ?? 0),
                "aria-label": text(`administration.budget.${period}`),
            })] : [];
            return [
                element("dt", {}, [text(`administration.budget.${period}`)]),
                element("dd", {}, [useOf(use), ...meter, ...(use.limit === undefined ? [] : [
                    element("span", { class: "hint" }, [
                        text("administration.budget.resets", { time: momentOf(end) })])])]),
            ];
        }));
    }

    async #ask() {
        const { ownerOf, hint, name } = this.#options;
        const limits = { day: "daily", month: "monthly" };
        const fields = Object.entries(limits).map(([period, field]) => labelled({
            label: text(`administration.budget.${field}`), inputmode: "numeric",
            value: this.#usage?.[period].limit ?? "", "data-testid": `budget-${field}`,
        }));
        const isDone = await askForm({
            heading: text("administration.budget.heading", { name }),
            lead: hint,
            content: fields.flatMap(({ nodes }) => nodes),
            agree: text("administration.save"),
            act: async () => {
                const [daily, monthly] = fields.map(({ input }) => limitIn(input.value));
                await this.#context.connection.request("budget.set", {
                    ...ownerOf(), daily: daily ?? undefined, monthly: monthly ?? undefined,
                });
            },
        });
        if (!isDone) return;
        await this.#context.act(() => this.refresh());
        this.#context.say(text("administration.budget.saved", { name }));
    }
}
