// What the page says about an answer's receipt: what the model was given. Pure functions.

import { numberText, text } from "./language.js";
import { answerOf } from "./thinking.js";
import { authorOf, promptNameOf } from "./wording.js";

/**
 * A receipt's content, as `{lead, rows: [{kind, name, text, tokens}]}`. `messageOf` returns the
 * page's message with an id, or undefined if it is not loaded.
 */
export function givenOf(receipt, messageOf) {
    const rows = [];
    const leftOut = receipt.left_out;
    const leftOutRow = leftOut && {
        kind: "left-out",
        name: text("receipt.left-out"),
        text: text("receipt.left-out.text", { count: leftOut.count }),
        tokens: "–",
    };
    let isLeftOutListed = !leftOut;
    for (const entry of receipt.entries) {
        if (entry.message && !isLeftOutListed) {
            rows.push(leftOutRow);
            isLeftOutListed = true;
        }
        rows.push({ ...givenRow(entry, receipt, messageOf), tokens: numberText(entry.tokens) });
    }
    if (receipt.scaffold_tokens > 0) {
        rows.push({
            kind: "scaffold",
            name: text("receipt.opening"),
            text: text("receipt.opening.text"),
            tokens: numberText(receipt.scaffold_tokens),
        });
    }
    const cached = receipt.cached_tokens ?? receipt.run?.prompt?.cached ?? 0;
    return { lead: text("receipt.lead", { count: receipt.prompt_tokens, cached }), rows };
}

function givenRow(entry, receipt, messageOf) {
    if (entry.summary) {
        const count = receipt.summarized?.count ?? 0;
        return {
            kind: "summary",
            name: text("receipt.summary"),
            text: text("receipt.summary.text", { count }),
        };
    }
    if (!entry.message) {
        return {
            kind: "system-prompt",
            name: text("receipt.system-prompt"),
            text: promptNameOf(receipt.system_prompt),
        };
    }
    const message = messageOf(entry.message);
    if (!message) {
        return { kind: "message", name: text("receipt.message"), text: text("receipt.message.above") };
    }
    const name = message.role === "assistant" ? "Phi" : authorOf(message);
    return { kind: "message", name, text: beginningOf(answerOf(message)) };
}

/** The start of a text, on one line. */
function beginningOf(text) {
    const line = [...text.slice(0, 400).replaceAll(/\s+/gu, " ").trim()];
    return line.length <= 90 ? line.join("") : `${line.slice(0, 89).join("")}…`;
}
