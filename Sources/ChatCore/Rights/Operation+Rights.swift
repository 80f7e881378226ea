// What each operation needs: the table that the server and the tests of rights go by.

public import ChatProtocol

/// What an operation is about, and what it does there.
public enum Requirement: Sendable, Hashable {
    /// Nobody in particular: it is asked before anybody signed in.
    case nothing
    /// Only what is the asker's own.
    case signedIn
    /// A conversation.
    case conversation(ConversationAction)
    /// A team.
    case team(TeamAction)
    /// The server.
    case server(ServerAction)
}

extension Operation {
    /// What the asker has to be allowed to do.
    public var requirement: Requirement {
        switch self {
        case .auth, .ping, .conversationList, .conversationCreate, .conversationUnwatch,
            .generationList, .search, .modelList, .sessionList, .sessionRevoke,
            .sessionRevokeOthers, .accountPassword, .keyCreate, .keyList, .keyRevoke:
            .signedIn
        case .conversationGet, .conversationPrompts, .conversationFork, .conversationWatch,
            .conversationRead, .messageList, .messageSelect:
            .conversation(.read)
        case .conversationUpdate: .conversation(.change)
        case .conversationDelete: .conversation(.delete)
        case .memberAdd: .conversation(.manageMembers)
        // Of oneself; of others `.manageMembers`.
        case .memberRemove: .conversation(.leave)
        case .messageSend, .messageEdit, .messageRegenerate, .messageContinue, .messageFeedback,
            .generationStop:
            .conversation(.write)
        // Of one's own; what others said `.deleteMessages`.
        case .messageDelete: .conversation(.deleteOwnMessages)
        case .modelPull, .modelPullCancel: .server(.pullModels)
        }
    }

    /// Which keys may ask for it.
    public var scope: Scope {
        switch self {
        case .auth, .ping, .conversationList, .conversationGet, .conversationPrompts,
            .conversationWatch, .conversationUnwatch, .conversationRead, .messageList,
            .messageSelect, .generationList, .search, .modelList:
            .read
        case .conversationCreate, .conversationUpdate, .conversationDelete, .conversationFork,
            .memberAdd, .memberRemove, .messageSend, .messageEdit, .messageRegenerate,
            .messageContinue, .messageDelete, .messageFeedback, .generationStop:
            .write
        case .sessionList, .sessionRevoke, .sessionRevokeOthers, .accountPassword, .keyCreate,
            .keyList, .keyRevoke:
            .account
        case .modelPull, .modelPullCancel: .administer
        }
    }
}

extension HTTPRoute {
    /// What the asker has to be allowed to do.
    public var requirement: Requirement {
        switch self {
        // A WebSocket's client may say who it is in its first frame; each operation is looked at then.
        case .webSocket, .liveness, .readiness, .signUp, .passwordReset, .openIDStart,
            .openIDCallback:
            .nothing
        // To sign in needs nothing.
        case .session: .signedIn
        case .conversationExport, .receipt: .conversation(.read)
        }
    }

    /// Which keys may ask for it.
    public var scope: Scope {
        switch self {
        case .webSocket, .liveness, .readiness, .conversationExport, .receipt: .read
        case .session, .signUp, .passwordReset, .openIDStart, .openIDCallback: .account
        }
    }
}
