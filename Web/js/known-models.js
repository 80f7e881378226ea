// What the page can say about models before they are on the server.

/** The model of the binary, which is a demonstration. */
export const demoModel = "stoa-demo";

/**
 * Models to offer first, by short name: the download, and the memory for the weights and a conversation
 * of 4,000 tokens, in GB. The figures are those of docs/run/models.md, "Memory and disk".
 */
export const offeredModels = [
    { name: "phi-4-mini", label: "Phi-4-mini", download: 2.2, memory: 2.7 },
    { name: "phi-3.5-mini", label: "Phi-3.5-mini", download: 2.2, memory: 3.8 },
    { name: "phi-4", label: "phi-4", download: 8.3, memory: 9.1 },
];
