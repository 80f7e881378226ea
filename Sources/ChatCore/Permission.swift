// Who may do what in a conversation: one pure function, asked on every path.

public import ChatProtocol

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
    /// Leave it.
    case leave
    /// Delete it for everybody.
    case delete
}

/// What can be done to the server itself.
public enum ServerAction: Sendable, CaseIterable {
    /// Have it fetch models, and stop that.
    case pullModels
}

/// What came of asking for a permission.
public enum Permission: Sendable, Hashable {
    /// Go ahead.
    case granted
    /// The asker sees the conversation, but may not do this.
    case forbidden
    /// To the asker there is no such conversation.
    case invisible

    /// Decides.
    /// - Parameters:
    ///   - action: what is to be done.
    ///   - role: the asker's role; nil where they are no member.
    /// - Returns: the verdict.
    public static func decide(_ action: ConversationAction, as role: Role?) -> Permission {
        guard let role else { return .invisible }
        switch action {
        case .read, .leave: return .granted
        case .write, .deleteOwnMessages, .change:
            return role == .viewer ? .forbidden : .granted
        case .deleteMessages, .manageMembers, .delete:
            return role == .owner ? .granted : .forbidden
        }
    }

    /// Decides what concerns the server and no conversation.
    /// - Parameters:
    ///   - action: what is to be done.
    ///   - isAdministrator: whether the asker administers the server.
    /// - Returns: the verdict.
    public static func decide(_ action: ServerAction, isAdministrator: Bool) -> Permission {
        switch action {
        case .pullModels: isAdministrator ? .granted : .forbidden
        }
    }

    /// Nil where permission was granted, else what the asker is told.
    public var refusal: WireError? {
        switch self {
        case .granted: nil
        case .forbidden: WireError(.forbidden, "your role does not allow that")
        case .invisible: .noSuchConversation
        }
    }
}

extension WireError {
    /// What both a stranger and the reader of a deleted conversation are told.
    public static let noSuchConversation = WireError(.notFound, "there is no such conversation")
    /// What is said of a message that is not there, or not for the asker.
    public static let noSuchMessage = WireError(.notFound, "there is no such message")
}
