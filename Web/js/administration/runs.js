// Everyone's queued and running answers, live, and stopping one. Their texts are not shown.

import { element, setAttribute } from "../element.js";
import { text } from "../language.js";
import { figureOf, preciseMomentOf } from "./format.js";
import { addressOf } from "./place.js";
import { askAgreement } from "./parts/dialog.js";
import { repeatWhileVisible } from "./parts/repeat.js";
import { PagedTable } from "./parts/table.js";

const refreshMilliseconds = 2_000;

/** Shows the runs in `box`, and keeps them up to date. */
export function show(box, { connection, act, follow, say }) {
    const stop = async ({ message, user }) => {
        const reply = await askAgreement({
            heading: text("administration.runs.stop.heading", { name: user.name }),
            lead: text("administration.runs.stop.lead"),
            agree: text("administration.runs.stop"),
            act: () => connection.request("run.stop", { message }),
        });
        if (!reply) return;
        const hasEnded = !["queued", "streaming"].includes(reply.state);
        say(text(hasEnded ? "administration.runs.ended" : "administration.runs.stopping", {
            name: user.name,
        }));
        await act(() => table.refresh());
    };
    const table = new PagedTable({
        label: text("administration.section.runs"),
        none: text("administration.runs.none"),
        keyOf: ({ message }) => message,
        act,
        load: async (cursor) => {
            const page = await connection.request("run.list", { cursor });
            return { rows: page.runs, cursor: page.cursor };
        },
        columns: [
            { title: text("administration.user"), cell: ({ user }) => element(
                "a", { href: addressOf("users", user.name), dir: "auto" }, [user.name]) },
            { title: text("administration.state"), cell: stateOf },
            { title: text("administration.model"), cell: ({ model }) => model },
            { title: text("administration.runs.position"), isFigure: true,
                cell: ({ position }) => (position === undefined ? "" : figureOf(position)) },
            { title: text("administration.runs.since"), cell: ({ queued_at: time }) => element(
                "time", { datetime: time }, [preciseMomentOf(time)]) },
            { title: text("administration.node"), cell: ({ node = "" }) => node },
            { title: text("administration.actions"), cell: (run) => {
                const button = element("button", { type: "button", class: "danger" },
                    [text("administration.runs.stop")]);
                setAttribute(button, "aria-label", text("administration.runs.stop.of", {
                    name: run.user.name,
                }));
                button.addEventListener("click", () => stop(run));
                return button;
            } },
        ],
    });
    box.append(
        element("p", { class: "hint" }, [text("administration.runs.lead")]), table.node);
    return {
        refresh: () => table.refresh(),
        close: repeatWhileVisible(refreshMilliseconds, () => follow(() => table.refresh())),
    };
}

function stateOf({ state, priority }) {
    const words = text(`administration.runs.state.${state === "queued" ? "queued" : "running"}`);
    if (priority === "interactive") return words;
    return `${words}, ${text(`administration.runs.priority.${priority ?? "background"}`)}`;
}
