// Whether a model fits into the memory of the server's machine, and the texts that say so. Pure functions.

import { offeredModels } from "./known-models.js";
import { text } from "./language.js";
import { sentenceOf } from "./sentences.js";
import { sizeOf } from "./wording.js";

/**
 * Whether a model that needs so many GB fits: "fits", "tight" (other programs have to give memory back
 * first) or "over" (the machine has less); null if the machine's memory is not known.
 */
export function fitOf(gigabytes, machine) {
    if (!machine) return null;
    const bytes = gigabytes * 1e9;
    if (bytes > machine.total_bytes) return "over";
    return bytes > machine.available_bytes ? "tight" : "fits";
}

/** The memory of the machine: "This machine has 16 GB of memory; 9.1 GB of it are available." */
export function machineTextOf(machine) {
    if (!machine) return "";
    return text("machine.memory", {
        total: sizeOf(machine.total_bytes), available: sizeOf(machine.available_bytes),
    });
}

/** A warning if a model that needs so many GB does not fit; else empty. */
export function warningOf(gigabytes, machine) {
    switch (fitOf(gigabytes, machine)) {
    case "over": return text("machine.over");
    case "tight": return text("machine.tight");
    default: return "";
    }
}

/**
 * What a typed name of a model needs, if that is known, and the machine's memory, as `{note, warning}`.
 */
export function memoryOf(name, machine) {
    const model = knownModel(name);
    const needs = model ? text("machine.needs", { name: model.label, memory: model.memory }) : "";
    return {
        note: [needs, machineTextOf(machine)].filter(Boolean).join(" "),
        warning: model ? warningOf(model.memory, machine) : "",
    };
}

/** Whether the page knows what a model needs. */
export function isKnownModel(name) {
    return knownModel(name) !== undefined;
}

function knownModel(name) {
    const wanted = name.trim().toLowerCase();
    return offeredModels.find((each) => each.name === wanted);
}

/** What the server estimates of a model, or why it cannot, as `memoryOf`. */
export function estimateOf({ name, estimate, reason, reason_code: code }, machine) {
    const needs = estimate ? text("machine.estimate", {
        name, memory: sizeOf(estimate.memory_bytes), size: sizeOf(estimate.download_bytes),
    }) : text("machine.no-estimate", { name, reason: sentenceOf("model", reason, code) });
    return {
        note: [needs, machineTextOf(machine)].filter(Boolean).join(" "),
        warning: estimate ? warningOf(estimate.memory_bytes / 1e9, machine) : "",
    };
}
