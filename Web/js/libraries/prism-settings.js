// Prism reads its settings from a global name when it is loaded: it must not look for code in the
// page by itself.

globalThis.Prism = { manual: true, disableWorkerMessageHandler: true };
