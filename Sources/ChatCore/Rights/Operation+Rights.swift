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
            .sessionRevokeOthers, .accountPassword, .accountDelete, .keyCreate, .keyList,
            .keyRevoke:
            .signedIn
        // Who may make teams is a setting; who has a link may join.
        case .teamCreate, .teamList, .teamJoin: .signedIn
        // By a link and without an account; whoever has one asks in vain.
        case .shareWatch: .signedIn
        case .shareCreate, .shareList, .shareRevoke: .conversation(.share)
        // To write in it later, `.write`.
        case .conversationJoin, .teamGet, .teamConversations: .team(.see)
        case .teamUpdate: .team(.change)
        case .teamDelete: .team(.own)
        case .teamMemberUpdate, .teamInvite, .teamInviteList, .teamInviteRevoke:
            .team(.manageMembers)
        // Of oneself; of others `.manageMembers`.
        case .teamMemberRemove: .team(.leave)
        case .conversationGet, .conversationPrompts, .conversationFork, .conversationWatch,
            .conversationRead, .messageList, .messageSelect:
            .conversation(.read)
        case .conversationUpdate: .conversation(.change)
        case .conversationDeletedList: .signedIn
        case .conversationArchive: .conversation(.read)
        case .conversationDelete, .conversationRestore: .conversation(.delete)
        case .conversationHold: .server(.holdConversations)
        case .teamRetention: .team(.change)
        // Of a team's library; one's own needs nothing.
        case .promptList, .promptVersions: .team(.see)
        case .promptCreate, .promptUpdate, .promptDelete: .team(.managePrompts)
        case .memberAdd: .conversation(.manageMembers)
        // In the team that it comes into, `.write`.
        case .conversationMove: .conversation(.manageMembers)
        // Of oneself; of others `.manageMembers`.
        case .memberRemove: .conversation(.leave)
        case .messageSend, .messageEdit, .messageRegenerate, .messageContinue, .messageFeedback,
            .generationStop, .typing:
            .conversation(.write)
        // Of one's own; what others said, or deleted, `.deleteMessages`.
        case .messageDelete, .messageRestore: .conversation(.deleteOwnMessages)
        // Of oneself; of a team `TeamAction.audit`, of others `ServerAction.audit`.
        case .usageGet, .usageList: .signedIn
        case .budgetSet, .serverTeams, .serverTeam, .serverTeamMember, .serverTeamDelete:
            .server(.manageTeams)
        case .userList, .userCreate, .userUpdate, .userSessions, .userSessionsRevoke, .userReset,
            .userDelete:
            .server(.manageUsers)
        case .runList, .runStop, .serverStatus: .server(.manageRuns)
        case .auditList: .server(.audit)
        case .teamAudit: .team(.audit)
        case .modelPull, .modelPullCancel: .server(.pullModels)
        }
    }

    /// Which keys may ask for it.
    public var scope: Scope {
        switch self {
        case .auth, .ping, .conversationList, .conversationGet, .conversationPrompts,
            .conversationWatch, .conversationUnwatch, .conversationRead, .messageList,
            .messageSelect, .generationList, .search, .modelList, .teamList, .teamGet,
            .teamConversations, .shareList, .shareWatch, .teamAudit:
            .read
        case .conversationCreate, .conversationUpdate, .conversationDelete, .conversationFork,
            .memberAdd, .memberRemove, .messageSend, .messageEdit, .messageRegenerate,
            .messageContinue, .messageDelete, .messageRestore, .messageFeedback,
            .generationStop, .conversationJoin, .teamCreate, .teamUpdate, .teamDelete,
            .teamMemberUpdate,
            .teamMemberRemove, .teamInvite, .teamInviteList, .teamInviteRevoke, .teamJoin,
            .shareCreate, .shareRevoke, .typing:
            .write
        case .sessionList, .sessionRevoke, .sessionRevokeOthers, .accountPassword, .accountDelete,
            .keyCreate, .keyList, .keyRevoke:
            .account
        case .conversationDeletedList: .read
        case .conversationArchive, .conversationRestore, .conversationMove, .teamRetention: .write
        case .promptList, .promptVersions: .read
        case .promptCreate, .promptUpdate, .promptDelete: .write
        case .conversationHold: .administer
        case .usageGet, .usageList: .read
        case .budgetSet, .serverTeams, .serverTeam, .serverTeamMember, .serverTeamDelete:
            .administer
        case .modelPull, .modelPullCancel, .runList, .runStop, .auditList, .serverStatus, .userList,
            .userCreate, .userUpdate, .userSessions, .userSessionsRevoke, .userReset, .userDelete:
            .administer
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
        // The link is the right; so is the token of the settings, which no sign-in stands in for.
        case .shared, .metrics: .nothing
        // To sign in needs nothing.
        case .session: .signedIn
        // Of one's own; of a team `.export`, of the server `.transferEverything`.
        case .transferExport, .transferImport: .signedIn
        case .conversationExport, .receipt: .conversation(.read)
        }
    }

    /// Which keys may ask for it.
    public var scope: Scope {
        switch self {
        case .webSocket, .liveness, .readiness, .metrics, .conversationExport, .transferExport,
            .receipt, .shared:
            .read
        case .transferImport: .write
        case .session, .signUp, .passwordReset, .openIDStart, .openIDCallback: .account
        }
    }
}
