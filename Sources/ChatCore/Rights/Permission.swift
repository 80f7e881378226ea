// Who may do what: one pure function of the asker's standing, asked on every path.

public import ChatProtocol

/// What came of asking for a permission.
public enum Permission: Sendable, Hashable {
    /// Go ahead.
    case granted
    /// The asker sees what it is about, but may not do this.
    case forbidden
    /// To the asker there is no such thing.
    case invisible

    /// Decides what concerns a conversation.
    /// - Parameters:
    ///   - action: what is to be done.
    ///   - standing: what the asker is there.
    /// - Returns: the verdict.
    public static func decide(_ action: ConversationAction, _ standing: Standing) -> Permission {
        guard let role = standing.effectiveRole else { return .invisible }
        switch action {
        case .read, .leave: return .granted
        case .write, .deleteOwnMessages, .change:
            return role == .viewer ? .forbidden : .granted
        case .deleteMessages, .manageMembers, .share, .delete:
            return role == .owner ? .granted : .forbidden
        }
    }

    /// Decides what concerns a team.
    /// - Parameters:
    ///   - action: what is to be done.
    ///   - role: the asker's role in it; nil where they are not in it, or disabled.
    /// - Returns: the verdict.
    public static func decide(_ action: TeamAction, as role: TeamRole?) -> Permission {
        guard let role else { return .invisible }
        switch action {
        case .see, .leave: return .granted
        case .write, .managePrompts: return role == .viewer ? .forbidden : .granted
        case .manageMembers, .change, .audit, .export:
            return role == .owner || role == .admin ? .granted : .forbidden
        case .own: return role == .owner ? .granted : .forbidden
        }
    }

    /// Decides whether a member of a team may be given another role, or be taken out. Admins manage
    /// everybody but owners, and make none.
    /// - Parameters:
    ///   - current: what the member is.
    ///   - new: what they shall be; nil for no member any more.
    ///   - role: the asker's role; nil where they are not in the team, or disabled.
    /// - Returns: the verdict.
    public static func decide(
        changing current: TeamRole,
        to new: TeamRole?,
        as role: TeamRole?
    ) -> Permission {
        let verdict = decide(TeamAction.manageMembers, as: role)
        guard verdict == .granted, role != .owner else { return verdict }
        return current == .owner || new == .owner ? .forbidden : .granted
    }

    /// Decides what concerns the server.
    /// - Parameters:
    ///   - action: what is to be done.
    ///   - isAdministrator: whether the asker administers the server.
    /// - Returns: the verdict.
    public static func decide(_ action: ServerAction, isAdministrator: Bool) -> Permission {
        isAdministrator ? .granted : .forbidden
    }

    /// Decides whether an operation may be asked for at all with a credential. What it is about is
    /// looked at where that is read.
    /// - Parameters:
    ///   - operation: what is asked.
    ///   - credential: by what the asker is known.
    /// - Returns: the verdict.
    public static func decide(
        _ operation: OperationDefinition,
        with credential: Credential
    ) -> Permission {
        guard credential.scopes.contains(operation.scope) else { return .forbidden }
        guard case .server(let action) = operation.requirement else { return .granted }
        return decide(action, isAdministrator: credential.isAdministrator)
    }

    /// Nil where permission was granted, else what the asker is told of a conversation.
    public var refusal: WireError? { refusal(invisible: .noSuchConversation) }

    /// Nil where permission was granted, else what the asker is told.
    /// - Parameter invisible: what is said of something that is not there.
    /// - Returns: the refusal.
    public func refusal(invisible: WireError) -> WireError? {
        switch self {
        case .granted: nil
        case .forbidden: WireError(.forbidden, "your role does not allow that")
        case .invisible: invisible
        }
    }
}

extension WireError {
    /// What both a stranger and the reader of a deleted conversation are told.
    public static let noSuchConversation = WireError(.notFound, "there is no such conversation")
    /// What is said of a message that is not there, or not for the asker.
    public static let noSuchMessage = WireError(.notFound, "there is no such message")
    /// What is said of a team that is not there, or not for the asker.
    public static let noSuchTeam = WireError(.notFound, "there is no such team")
    /// What is said of a library's prompt that is not there, or not for the asker.
    public static let noSuchPrompt = WireError(.notFound, "there is no such prompt")
}
