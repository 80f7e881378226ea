// English. One entry a text: a string, or an object of plural forms (`one`, `other`; the categories of
// Intl.PluralRules), chosen by the value `count`. `{name}` is replaced by the value of that name.
// The keys are grouped by the part of the page, and sorted within a group.

export default {
    // Everywhere
    "common.cancel": "Cancel",
    "common.close": "Close",

    // Reading without the server
    "offline.copy": "You see the copy that this device stored: {time}.",
    "offline.missing": "This device has no copy of this conversation.",
};
