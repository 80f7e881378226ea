// English. One entry a text: a string, or an object of plural forms (`one`, `other`; the categories of
// Intl.PluralRules), chosen by the value `count`. `{name}` is replaced by the value of that name.
// The keys are grouped by the part of the page, and sorted within a group.

export default {
    // Everywhere
    "common.cancel": "Cancel",
    "common.close": "Close",

    // Conversations: their list and menus
    "conversations.archive": "Archive",
    "conversations.archived": "Archived: it is listed in your account.",
    "conversations.delete": "Delete",
    "conversations.delete.heading": "Delete this conversation?",
    "conversations.delete.text": "“{title}” will be gone, for everybody in it.",
    "conversations.deleted": "The conversation is deleted.",
    "conversations.export": "Export",
    "conversations.hold": "Hold…",
    "conversations.invite": "Invite",
    "conversations.leave": "Leave",
    "conversations.leave.heading": "Leave this conversation?",
    "conversations.leave.text": "It goes on without you. Its owner can invite you again.",
    "conversations.mark.mentions": "you are mentioned",
    "conversations.mark.pinned": "pinned",
    "conversations.mark.running": "an answer is on its way",
    "conversations.mark.unread": "{count} unread",
    "conversations.menu": "Conversation",
    "conversations.menu.of": "Menu of “{title}”",
    "conversations.move": "Move to a team…",
    "conversations.part.missing": "This part of the page could not be loaded. Reload the page.",
    "conversations.pin": "Pin",
    "conversations.rename": "Rename",
    "conversations.rename.field": "Title",
    "conversations.settings": "Settings",
    "conversations.unarchive": "Bring back to the list",
    "conversations.unpin": "Unpin",

    // Moving to a team, and legal hold
    "hold.heading": "Hold “{title}”",
    "hold.held": "The conversation is held: nothing purges it.",
    "hold.hint": "Reason, hold and release are in the audit log. The page does not show which "
        + "conversations are held.",
    "hold.lead": "A held conversation is not purged: neither by its end, nor by its team’s retention, "
        + "nor after it was deleted.",
    "hold.reason": "Reason, to hold it",
    "hold.release": "Release",
    "hold.released": "The conversation is not held any more.",
    "hold.start": "Hold",
    "move.done": "It belongs to the team {name} now.",
    "move.heading": "Move “{title}” to a team",
    "move.hint": "It stays the team’s: it cannot be moved back. All who are in the conversation must be "
        + "in the team.",
    "move.start": "Move",
    "move.team": "Team",
};
