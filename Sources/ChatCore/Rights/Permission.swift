// Who may do what: one pure function of the asker's standing, used on every path.

public import ChatProtocol

/// The result of a permission check.
public enum Permission: Sendable, Hashable {
    /// Allowed.
    case granted
    /// The asker may see the object, but not do this.
    case forbidden
    /// For the asker the object does not exist.
    case invisible

    /// Decides about an action on a conversation.
    /// - Parameters:
    ///   - action: the action.
    ///   - standing: the asker's standing in the conversation.
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

    /// Decides about an action on a team.
    /// - Parameters:
    ///   - action: the action.
    ///   - role: the asker's role in it; nil for no member or a disabled account.
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

    /// Decides whether a team member's role may be changed, or the member removed. Admins manage
    /// everyone but owners, and cannot appoint owners.
    /// - Parameters:
    ///   - current: the member's role.
    ///   - new: the new role; nil to remove the member.
    ///   - role: the asker's role; nil for no member or a disabled account.
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

    /// Decides about an action on the server.
    /// - Parameters:
    ///   - action: the action.
    ///   - isAdministrator: whether the asker is an administrator of the server.
    /// - Returns: the verdict.
    public static func decide(_ action: ServerAction, isAdministrator: Bool) -> Permission {
        isAdministrator ? .granted : .forbidden
    }

    /// Decides whether a credential permits an operation at all. Rights to its object are checked
    /// where the object is read.
    /// - Parameters:
    ///   - operation: the operation.
    ///   - credential: the asker's credential.
    /// - Returns: the verdict.
    public static func decide(
        _ operation: OperationDefinition,
        with credential: Credential
    ) -> Permission {
        guard credential.scopes.contains(operation.scope) else { return .forbidden }
        guard case .server(let action) = operation.requirement else { return .granted }
        return decide(action, isAdministrator: credential.isAdministrator)
    }

    /// The error for a conversation; nil if permission was granted.
    public var refusal: WireError? { refusal(invisible: .noSuchConversation) }

    /// The error; nil if permission was granted.
    /// - Parameter invisible: the error for an object that does not exist.
    /// - Returns: the error.
    public func refusal(invisible: WireError) -> WireError? {
        switch self {
        case .granted: nil
        case .forbidden: WireError(.forbidden, "your role does not allow that")
        case .invisible: invisible
        }
    }
}

extension WireError {
    /// For a conversation that does not exist, is deleted, or is invisible to the asker.
    public static let noSuchConversation = WireError(.notFound, "there is no such conversation")
    /// For a message that does not exist or is invisible to the asker.
    public static let noSuchMessage = WireError(.notFound, "there is no such message")
    /// For a team that does not exist or is invisible to the asker.
    public static let noSuchTeam = WireError(.notFound, "there is no such team")
    /// For a library prompt that does not exist or is invisible to the asker.
    public static let noSuchPrompt = WireError(.notFound, "there is no such prompt")
    /// For folders that are not the user's.
    public static let noSuchFolder = WireError(.notFound, "you have no such folder")
}
