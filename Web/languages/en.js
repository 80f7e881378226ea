// English. One entry a text: a string, or an object of plural forms (`one`, `other`; the categories of
// Intl.PluralRules), chosen by the value `count`. `{name}` is replaced by the value of that name.
// The keys are grouped by the part of the page, and sorted within a group.

export default {
    // Everywhere
    "common.cancel": "Cancel",
    "common.close": "Close",

    // Conversations: their list and menus
    "conversations.archive": "Archive",
    "conversations.archived": "Archived: it is listed under “Archived and deleted”.",
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
    "conversations.share": "Share by link",
    "conversations.unarchive": "Bring back to the list",
    "conversations.unpin": "Unpin",

    // How long links and temporary conversations last
    "lifetime.day": "in a day",
    "lifetime.hour": "in an hour",
    "lifetime.month": "in 30 days",
    "lifetime.week": "in a week",

    // Read-only links: the owner's dialog
    "share.address": "The link",
    "share.branch": "the branch that you see now, and what follows it",
    "share.copied": "Copied. It is not shown again.",
    "share.copy": "Copy",
    "share.copy.hint": "To share it as it is now, without what follows, copy it up to a message "
        + "(below each message) and share the copy.",
    "share.end": "It ends",
    "share.end.never": "when you revoke it",
    "share.endless": "without an end",
    "share.heading": "Share by link",
    "share.lead": "Who has the link can read “{title}” without an account, and what is written later: "
        + "messages with their authors’ names, and nothing else.",
    "share.list": "Links to this conversation",
    "share.made": "made by {name} {time}",
    "share.make": "Make a link",
    "share.newest": "the newest branch",
    "share.none": "There are none.",
    "share.once": "Copy it now: it is not shown again.",
    "share.revoke": "Revoke",
    "share.revoke.of": "Revoke the link: {note}",
    "share.revoked": "The link is revoked: its readers see nothing any more.",
    "share.select": "Copy what is marked: it is not shown again.",
    "share.shows.branch": "One branch",
    "share.shows.newest": "The newest branch",
    "share.until": "until {time}",
    "share.what": "It shows",

    // The page of a reader with a read-only link
    "shared.connecting": "Connecting…",
    "shared.ended": "This link is not valid: it has ended or was revoked. Ask for another one.",
    "shared.ended.title": "Nothing to see here",
    "shared.enter": "Sign in",
    "shared.failed": "This answer failed.",
    "shared.former": "A former member",
    "shared.live": "Live: what is written appears here",
    "shared.messages": "Messages",
    "shared.note": "You read by a link. Only members can write.",
    "shared.older": "Show earlier messages",
    "shared.waiting": "No connection. Trying again…",

    // Moving to a team, legal hold, temporary conversations, retention, the archive
    "archive.open": "Archived and deleted",
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
    "retention.days": "Delete conversations after so many days in which nothing happens",
    "retention.heading": "How long conversations are kept",
    "retention.hint": "Empty: they are kept. Owners can restore what is deleted for some days.",
    "retention.kept": "Conversations are kept.",
    "retention.never": "never",
    "retention.save": "Save",
    "retention.set": {
        one: "Conversations are deleted after a day in which nothing happens.",
        other: "Conversations are deleted after {count} days in which nothing happens.",
    },
    "temporary.ends": "Ends {when}",
    "temporary.menu": "New temporary conversation",
};
