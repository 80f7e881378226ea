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
    /// See it: open, watch, list, search, export and fork it, and choose which branch one sees.
    case read
    /// Say something in it, ask anew, rate and stop an answer.
    case write
    /// Delete what one has said oneself, with the answers to it.
    case deleteOwnMessages
    /// Delete what others have said.
    case deleteMessages
    /// Change its title, system prompt and settings.
    case change
    /// Add and remove members.
    case manageMembers
    /// Show it to whoever has a link.
    case share
    /// Leave it.
    case leave
    /// Delete it for everybody, and take that back.
    case delete
}

/// What can be done to a team.
public enum TeamAction: Sendable, CaseIterable {
    /// See it, its members, and what it shares: prompts, and the conversations open to all of it.
    case see
    /// Begin conversations in it and join open ones, to write in them.
    case write
    /// Change what it shares: its prompts.
    case managePrompts
    /// Invite, remove and change members; those above the asker's own role excepted.
    case manageMembers
    /// Change its name, its limits and how long it keeps what.
    case change
    /// See what its members used, and what was done in it.
    case audit
    /// Take all its conversations out of the server.
    case export
    /// Make owners, and delete it.
    case own
    /// Leave it.
    case leave
}

/// What can be done to the server itself.
public enum ServerAction: Sendable, CaseIterable {
    /// Have it fetch models, and stop that.
    case pullModels
    /// See, make, disable and delete users, change their roles, end their sign-ins.
    case manageUsers
    /// See all teams and who is in them, make and delete them, change their members and limits.
    case manageTeams
    /// See what runs and waits for whom, and stop it.
    case manageRuns
    /// See who used how much, and what was done by whom.
    case audit
    /// Keep a conversation from being purged, and release it.
    case holdConversations
    /// Take all that is there out of it, and put what others exported in.
    case transferEverything
}
