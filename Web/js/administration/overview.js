// The state of the server: the node that was asked, the others, models, queue, database, and what the
// doctor finds.

import { element, setText } from "../element.js";
import { text } from "../language.js";
import { checkNameOf, reasonOf, sentenceOf } from "../sentences.js";
import { modelStateOf } from "../wording.js";
import { figureOf, foundOf, momentOf, preciseMomentOf, sizeOf, spanOf } from "./format.js";
import { addressOf } from "./place.js";
import { repeatWhileVisible } from "./parts/repeat.js";

const refreshMilliseconds = 5_000;
const doctorMilliseconds = 60_000;

/** Shows the server's state in `box`, and keeps it up to date. */
export function show(box, { connection, follow }) {
    // A link without words has no name.
    const facts = {
        version: element("dd", {}, ["…"]),
        queue: element("a", { href: addressOf("runs") }, ["…"]),
        connections: element("dd", {}, ["…"]),
        database: element("dd", {}, ["…"]),
    };
    const nodes = element("ul", { class: "plain-list" });
    const models = element("ul", { class: "plain-list" });
    const asked = element("p", { class: "hint" });
    const verdict = element("p", { "data-testid": "verdict" });
    const wrong = element("ul", { class: "checks", "data-testid": "wrong" });
    const right = element("ul", { class: "checks", "data-testid": "right" });
    const passed = element("details", { hidden: true }, [
        element("summary", {}, [text("administration.overview.passed")]), right]);
    box.append(
        element("dl", { class: "facts", "data-testid": "facts" }, Object.entries(facts).flatMap(
            ([name, value]) => [
                element("dt", {}, [text(`administration.overview.${name}`)]),
                name === "queue" ? element("dd", {}, [value]) : value,
            ])),
        part("overview.nodes", nodes), part("overview.models", models),
        part("overview.doctor", verdict, wrong, passed), asked);

    const drawState = async () => {
        const status = await connection.request("server.status");
        const { running, waiting, limit } = status.queue;
        setText(facts.version, status.version);
        setText(facts.queue, text("administration.overview.queue.state", {
            running, waiting, limit,
        }));
        setText(facts.connections, figureOf(status.connections));
        setText(facts.database, databaseOf(status.database));
        nodes.replaceChildren(...status.nodes.map((node) => element("li", {}, [nodeOf(node)])));
        models.replaceChildren(...status.models.map((model) => element(
            "li", { "data-state": model.state },
            [[`${model.name}: ${modelStateOf(model)}`, reasonOf(model)].filter(Boolean).join(". ")])));
        setText(asked, text("administration.overview.asked", {
            time: preciseMomentOf(status.time),
        }));
    };
    const drawChecks = async () => {
        if (passed.hidden) setText(verdict, text("administration.overview.examining"));
        const { checks } = await connection.request("server.doctor");
        const rows = (severity) => checks.filter(({ verdict: each }) => each === severity).map(checkRow);
        setText(verdict, verdictOf(checks));
        wrong.replaceChildren(...rows("failure"), ...rows("warning"));
        right.replaceChildren(...rows("ok"));
        passed.hidden = right.childElementCount === 0;
    };
    const stops = [
        repeatWhileVisible(refreshMilliseconds, () => follow(drawState)),
        repeatWhileVisible(doctorMilliseconds, () => follow(drawChecks)),
    ];
    return {
        refresh: () => Promise.all([drawState(), drawChecks()]),
        close: () => stops.forEach((stop) => stop()),
    };
}

function part(name, ...nodes) {
    return element("section", {}, [element("h3", {}, [text(`administration.${name}`)]), ...nodes]);
}

function databaseOf({ state, version = "", bytes = 0, connections = 0, ...figures }) {
    if (state !== "ready") return text("administration.overview.database.away");
    const words = text("administration.overview.database.state", {
        version, size: sizeOf(bytes), count: connections,
    });
    const age = figures.oldest_transaction_seconds ?? 0;
    return age < 60 ? words : `${words}. ${text(
        "administration.overview.database.transaction", { span: spanOf(age) })}`;
}

function nodeOf({ name, started_at: start, current = false }) {
    const key = current ? "administration.overview.node.this" : "administration.overview.node";
    return text(key, { name, start: momentOf(start) });
}

function verdictOf(checks) {
    const count = (verdict) => checks.filter((check) => check.verdict === verdict).length;
    const [failures, warnings] = [count("failure"), count("warning")];
    if (failures + warnings === 0) return text("administration.overview.well", { count: checks.length });
    return [
        ...(failures ? [text("administration.overview.failures", { count: failures })] : []),
        ...(warnings ? [text("administration.overview.warnings", { count: warnings })] : []),
    ].join(" ");
}

function checkRow({ area, name, verdict, found, found_code: kind, advice, advice_code: code }) {
    return element("li", { "data-verdict": verdict, "data-check": `${area} ${name}` }, [
        element("span", { class: "verdict" }, [text(`administration.verdict.${verdict}`)]),
        element("span", { class: "what" }, [
            element("strong", {}, [checkNameOf({ area, name })]), element("span", {}, [foundOf(found, kind)]),
            ...(advice ? [element("span", { class: "hint" }, [
                text("administration.overview.advice", {
                    advice: sentenceOf("advice", advice, code) })])] : []),
        ]),
    ]);
}
