// English. One entry a text: a string, or an object of plural forms (`one`, `other`; the categories of
// Intl.PluralRules), chosen by the value `count`. `{name}` is replaced by the value of that name.
// The keys are grouped by the part of the page, and sorted within a group.

export default {
    // Everywhere
    "common.cancel": "Cancel",
    "common.close": "Close",

    // The account dialog
    "account.licenses": "Licenses",

    // Code in questions and answers
    "code.copied": "Copied",
    "code.copy": "Copy",
    "code.diagram": "Diagrams are shown as code: drawing them would run a program that a message wrote.",
    "code.download": "Download",
    "code.downloadName": "Download as {name}",
    "code.less": "Show less",
    "code.more": "Show all {count} lines",
    "code.notCopied": "Not copied",
    "code.plain": "code",
    "code.wrap": "Wrap",
    "code.wrapName": "Wrap long lines",

    // Formatted text: questions and answers
    "markdown.note": "Note {number}",
    "markdown.noteBack": "Back to reference {number}",
    "markdown.notes": "Notes",

    // The text of a message
    "message.formatted": "Formatted",
    "message.showAll": "Show all",
    "message.showLess": "Show less",
    "message.source": "Source",

    // Reading without the server
    "offline.copy": "You see the copy that this device stored: {time}.",
    "offline.missing": "This device has no copy of this conversation.",
};
