// English. One entry a text: a string, or an object of plural forms (`one`, `other`; the categories of
// Intl.PluralRules), chosen by the value `count`. `{name}` is replaced by the value of that name.
// The keys are grouped by the part of the page, and sorted within a group.

export default {
    // Appearance
    "appearance.density": "Density",
    "appearance.density.comfortable": "Comfortable",
    "appearance.density.compact": "Compact",
    "appearance.hint": "This device remembers it.",
    "appearance.theme": "Theme",
    "appearance.theme.dark": "Dark",
    "appearance.theme.light": "Light",
    "appearance.theme.system": "As the system",
    "appearance.title": "Appearance",

    // Everywhere
    "common.cancel": "Cancel",
    "common.close": "Close",
};
