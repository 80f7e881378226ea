// English. One entry a text: a string, or an object of plural forms (`one`, `other`; the categories of
// Intl.PluralRules), chosen by the value `count`. `{name}` is replaced by the value of that name.
// The keys are grouped by the part of the page, and sorted within a group.

export default {
    // What only screen readers hear
    "announcer.complete": "The answer is complete.",
    "announcer.failed": "The answer failed.",
    "announcer.stopped": "The answer was stopped.",

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

    // Commands: the palette and the sheet of shortcuts
    "command.account": "Account",
    "command.answer-again": "Answer again",
    "command.archive": "Archive this conversation, or bring it back",
    "command.bad-answer": "Bad answer",
    "command.continue-answer": "Go on with this answer",
    "command.conversation-settings": "Settings of this conversation",
    "command.copy-message": "Copy",
    "command.delete": "Delete this conversation",
    "command.delete-message": "Delete from here on",
    "command.density-comfortable": "Comfortable density",
    "command.density-compact": "Compact density",
    "command.edit-message": "Edit",
    "command.export": "Export this conversation",
    "command.focus-composer": "Write a message",
    "command.fork-message": "Copy up to here into a new conversation",
    "command.good-answer": "Good answer",
    "command.invite": "Invite to this conversation",
    "command.last-message": "To the last message, from an empty field",
    "command.leave": "Leave this conversation",
    "command.line-break": "New line",
    "command.models": "Models",
    "command.new-conversation": "New conversation",
    "command.next-conversation": "Next conversation",
    "command.next-message": "Next message",
    "command.next-version": "Version after this",
    "command.palette": "Find commands, conversations and messages",
    "command.pin": "Pin this conversation, or unpin it",
    "command.previous-conversation": "Previous conversation",
    "command.previous-message": "Previous message",
    "command.previous-version": "Version before this",
    "command.search": "Search",
    "command.send": "Send",
    "command.shortcuts": "Keyboard shortcuts",
    "command.stop": "Stop the answer",
    "command.teams": "Teams",
    "command.theme-dark": "Dark theme",
    "command.theme-light": "Light theme",
    "command.theme-system": "Theme of the system",
    "key.arrowdown": "Arrow down",
    "key.arrowup": "Arrow up",
    "key.backspace": "Backspace",
    "key.delete": "Delete",
    "key.enter": "Enter",
    "key.escape": "Esc",
    "key.shift": "Shift",
    "keyboard.not-loaded": "This could not be loaded. Try again.",
    "keyboard.skip": "Go to the message field",
    "palette.commands": "Commands",
    "palette.conversations": "Conversations",
    "palette.label": "Find a command, a conversation or a message",
    "palette.messages": "Messages",
    "palette.none": "Nothing found.",
    "palette.options": "What was found",
    "palette.placeholder": "Type a few letters",
    "palette.title": "Go to",
    "shortcuts.composer": "In the message field",
    "shortcuts.everywhere": "Everywhere; single keys while you are not writing",
    "shortcuts.messages": "At a message",
    "shortcuts.or": "or",
    "shortcuts.title": "Keyboard shortcuts",

    // The context, before sending
    "context.drop_oldest": "The oldest messages will be left out.",
    "context.drop_oldest.count": {
        one: "About {count} of the oldest messages will be left out.",
        other: "About {count} of the oldest messages will be left out.",
    },
    "context.meaning": "An estimate of what the model would read, and of its room beside the answer",
    "context.meter": "How much of the model's context the conversation takes",
    "context.refuse": "It will be refused: write less, or begin a new conversation.",
    "context.summarize": "The oldest messages will be given as a summary.",
    "context.summarize.count": {
        one: "About {count} of the oldest messages will be given as a summary.",
        other: "About {count} of the oldest messages will be given as a summary.",
    },
    "context.too-long": "This message alone is too long for the model: shorten it.",
    "context.used": "About {used} of {limit} tokens.",
    "policy.drop_oldest": "The model forgets the beginning; the system prompt and the newest "
        + "messages always stay. Each answer says what was left out.",
    "policy.refuse": "A message that does not fit is not sent, and says how much too long it is.",
    "policy.summarize": "The model reads a summary instead of the beginning. It is written in the "
        + "background, and takes tokens; until it is there, the beginning is left out.",

    // A new password
    "password.rule": "A password has 8 to 1024 characters.",

    // How answers are generated
    "sampling.default": "default",
    "sampling.max_tokens": "Longest answer, in tokens",
    "sampling.max_tokens.hint": "A longer answer is cut, and can be continued. By default the "
        + "server's limit, 1,024 unless its administrator set another.",
    "sampling.seed": "Seed",
    "sampling.seed.hint": "A number that makes answers repeatable: the same seed and the same "
        + "question give the same answer. By default another for each answer.",
    "sampling.stop": "Stop texts, one a line",
    "sampling.stop.hint": "The answer ends before any of these. \\n is a line break. By default none.",
    "sampling.stop.none": "none",
    "sampling.temperature": "Temperature",
    "sampling.temperature.hint": "From 0, always the most likely word, to 2, very surprising. By "
        + "default the server's, 0 unless its administrator set another.",
    "sampling.title": "How answers are generated",
    "sampling.top_p": "Top-p",
    "sampling.top_p.hint": "Only the most likely words that together have this probability are "
        + "chosen from: 0.9 leaves out the unlikely ones. By default 1, all words.",

    // The welcome of an empty conversation
    "first-model.ask": "Ask it here",
    "first-model.coming": "{name} is on its way",
    "first-model.default": "It answers where you choose it. To make it the server's default, start "
        + "the server with --model and its name.",
    "first-model.failed": "{name} could not be fetched. {reason}",
    "first-model.get": "Get it",
    "first-model.get-named": "Get {name}",
    "first-model.lead": "Phi is Microsoft's family of small language models. Your server downloads "
        + "it once and runs it itself.",
    "first-model.meanwhile": "It goes on when you close this page. Ask the demo model meanwhile.",
    "first-model.memory": "Memory for its weights and a conversation of 4,000 tokens: compare it with "
        + "what your server's machine has free.",
    "first-model.needs": "{download} GB to download, {memory} GB of memory",
    "first-model.progress": "How much of {name} is there",
    "first-model.ready": "{name} is ready",
    "first-model.title": "Get a real Phi",
    "welcome.lead.demo": "The demo model answers: a tiny one, made to show how Stoa works. It knows "
        + "a little about Stoa, and is often wrong about everything else.",
    "welcome.lead.other": "{model} answers, on your own server. It can be wrong: check what matters.",
    "welcome.title": "Hello, {name}",
    "welcome.try.compare": "Compare tea and coffee in a small table.",
    "welcome.try.draft": "Draft a friendly reminder of Friday's meeting.",
    "welcome.try.explain": "Explain recursion with an example.",
    "welcome.try.how-it-answers": "Explain how Stoa answers a message.",
    "welcome.try.how-to-invite": "How do I invite a teammate?",
    "welcome.try.what-is-stoa": "What is Stoa?",

    // Everywhere
    "common.cancel": "Cancel",
    "common.close": "Close",

    // Reading without the server
    "offline.copy": "You see the copy that this device stored: {time}.",
    "offline.missing": "This device has no copy of this conversation.",
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
