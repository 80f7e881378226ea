// What an operation needs: an action, and what it is done to. Whether a user may do it is decided by
// ChatCore's Permission.

/// What a user has to be allowed to do.
public enum Requirement: Sendable, Hashable {
    /// Nothing: it is requested before anybody signed in.
    case nothing
    /// Only to be signed in: it is about what is the user's own.
    case signedIn
    /// An action on a conversation.
    case conversation(ConversationAction)
    /// An action on a team.
    case team(TeamAction)
    /// An action on the server.
    case server(ServerAction)
}

/// What can be done to a conversation.
public enum ConversationAction: Sendable, CaseIterable {
    /// Read it: open, watch, list, search, export and fork it, and select a branch.
    case read
    /// Send messages, regenerate, rate and stop answers.
    case write
    /// Delete one's own messages, with their answers.
    case deleteOwnMessages
    /// Delete messages of others.
    case deleteMessages
    /// Change its title, system prompt and settings.
    case change
    /// Add and remove members.
    case manageMembers
    /// Show it to whoever has a link.
    case share
    /// Leave it.
    case leave
    /// Delete it for everybody, and restore it.
    case delete
}

/// What can be done to a team.
public enum TeamAction: Sendable, CaseIterable {
    /// See it, its members, and what it shares: prompts, and the conversations open to all of it.
    case see
    /// Create conversations in it, and join open ones to write in them.
    case write
    /// Change what it shares: its prompts.
    case managePrompts
    /// Invite, remove and change members; except those above the user's own role.
    case manageMembers
    /// Change its name, its limits and how long it keeps what.
    case change
    /// See what its members used, and what was done in it.
    case audit
    /// Export all of its conversations.
    case export
    /// Make owners, and delete it.
    case own
    /// Leave it.
    case leave
}

/// What can be done to the server itself.
public enum ServerAction: Sendable, CaseIterable {
    /// Download models, and cancel downloads.
    case pullModels
    /// Load and unload models, and choose the default one.
    case manageModels
    /// See, make, disable and delete users, change their roles, end their sign-ins.
    case manageUsers
    /// See all teams and who is in them, make and delete them, change their members and limits.
    case manageTeams
    /// List and stop everyone's queued and running answers.
    case manageRuns
    /// Read everyone's usage and the audit log.
    case audit
    /// Keep a conversation from being purged, and release it.
    case holdConversations
    /// Export everything, and import what others exported.
    case transferEverything
}
