// What each operation takes and answers, as types: the list that docs/reference/asyncapi.yaml is made from.

extension Operation {
    /// The type of what the operation takes.
    public var requestType: any Codable.Type {
        switch self {
        case .auth: AuthRequest.self
        case .ping, .modelList, .generationList, .sessionList, .sessionRevokeOthers, .keyList,
            .serverStatus:
            EmptyRequest.self
        case .conversationList: ConversationListRequest.self
        case .conversationCreate: ConversationCreateRequest.self
        case .conversationUpdate: ConversationUpdateRequest.self
        case .conversationGet, .conversationDelete, .conversationUnwatch, .conversationRestore,
            .conversationJoin, .typing:
            ConversationRequest.self
        case .conversationArchive: ConversationArchiveRequest.self
        case .conversationMove: ConversationMoveRequest.self
        case .conversationDeletedList: DeletedListRequest.self
        case .conversationHold: ConversationHoldRequest.self
        case .teamRetention: TeamRetentionRequest.self
        case .promptCreate: PromptCreateRequest.self
        case .promptUpdate: PromptUpdateRequest.self
        case .promptList: PromptListRequest.self
        case .promptVersions: PromptVersionsRequest.self
        case .promptDelete: PromptDeleteRequest.self
        case .conversationPrompts: ConversationPromptsRequest.self
        case .conversationFork: ConversationForkRequest.self
        case .conversationWatch: ConversationWatchRequest.self
        case .conversationRead: ConversationReadRequest.self
        case .memberAdd: MemberAddRequest.self
        case .memberRemove: MemberRemoveRequest.self
        case .messageList: MessageListRequest.self
        case .messageSend: MessageSendRequest.self
        case .messageEdit: MessageEditRequest.self
        case .messageRegenerate, .messageContinue: MessageAgainRequest.self
        case .messageSelect: MessageSelectRequest.self
        case .messageDelete: MessageDeleteRequest.self
        case .messageRestore: MessageRestoreRequest.self
        case .messageFeedback: MessageFeedbackRequest.self
        case .generationStop: GenerationStopRequest.self
        case .teamCreate: TeamCreateRequest.self
        case .teamList: EmptyRequest.self
        case .teamGet, .teamConversations, .serverTeam: TeamPageRequest.self
        case .teamUpdate: TeamUpdateRequest.self
        case .teamDelete, .teamInviteList, .serverTeamDelete: TeamRequest.self
        case .serverTeams: ServerTeamsRequest.self
        case .serverTeamMember: ServerTeamMemberRequest.self
        case .teamMemberUpdate: TeamMemberUpdateRequest.self
        case .teamMemberRemove: TeamMemberRemoveRequest.self
        case .teamInvite: TeamInviteRequest.self
        case .teamInviteRevoke: TeamInviteRevokeRequest.self
        case .teamJoin: TeamJoinRequest.self
        case .shareCreate: ShareCreateRequest.self
        case .shareList: ConversationRequest.self
        case .shareRevoke: ShareRevokeRequest.self
        case .shareWatch: ShareWatchRequest.self
        case .usageGet: UsageGetRequest.self
        case .usageList: UsageListRequest.self
        case .budgetSet: BudgetSetRequest.self
        case .userList: UserListRequest.self
        case .userCreate: UserCreateRequest.self
        case .userUpdate: UserUpdateRequest.self
        case .userSessionsRevoke: UserSessionsRevokeRequest.self
        case .userSessions, .userReset, .userDelete: UserRequest.self
        case .runList: RunListRequest.self
        case .runStop: RunStopRequest.self
        case .auditList: AuditListRequest.self
        case .teamAudit: TeamAuditRequest.self
        case .search: SearchRequest.self
        case .modelPull: ModelPullRequest.self
        case .modelPullCancel: ModelRequest.self
        case .sessionRevoke: SessionRevokeRequest.self
        case .accountPassword: AccountPasswordRequest.self
        case .accountDelete: AccountDeleteRequest.self
        case .keyCreate: KeyCreateRequest.self
        case .keyRevoke: KeyRevokeRequest.self
        }
    }

    /// The type of what stands under `ok` in the reply that grants.
    public var replyType: any Codable.Type {
        switch self {
        case .auth: AuthReply.self
        case .ping: PingReply.self
        case .conversationList: ConversationListReply.self
        case .conversationCreate, .conversationGet, .conversationUpdate, .conversationFork,
            .conversationJoin, .conversationMove, .conversationRestore:
            ConversationReply.self
        case .conversationDeletedList: DeletedListReply.self
        case .conversationArchive, .conversationHold, .teamRetention: EmptyReply.self
        case .conversationDelete, .conversationUnwatch, .messageFeedback, .modelPullCancel,
            .sessionRevoke, .accountPassword, .keyRevoke, .teamDelete,
            .teamMemberRemove, .teamInviteRevoke, .budgetSet, .accountDelete, .userDelete,
            .serverTeamMember, .serverTeamDelete:
            EmptyReply.self
        case .shareCreate: ShareReply.self
        case .shareList: ShareListReply.self
        case .shareRevoke, .typing: EmptyReply.self
        case .shareWatch: ShareWatchReply.self
        case .teamCreate, .teamUpdate, .teamJoin: TeamReply.self
        case .teamList: TeamListReply.self
        case .teamGet, .serverTeam: TeamGetReply.self
        case .serverTeams: ServerTeamsReply.self
        case .teamMemberUpdate: TeamMemberReply.self
        case .teamInvite: TeamInviteReply.self
        case .teamInviteList: TeamInviteListReply.self
        case .teamConversations: TeamConversationsReply.self
        case .promptCreate, .promptUpdate: PromptReply.self
        case .promptList: PromptListReply.self
        case .promptVersions: PromptVersionsReply.self
        case .promptDelete: EmptyReply.self
        case .conversationPrompts: ConversationPromptsReply.self
        case .conversationWatch: ConversationWatchReply.self
        case .conversationRead: ConversationReadReply.self
        case .memberAdd, .memberRemove: MemberReply.self
        case .messageList, .messageSelect: MessageListReply.self
        case .messageSend, .messageEdit: MessageSendReply.self
        case .messageRegenerate, .messageContinue: MessageAnswerReply.self
        case .messageDelete: MessageDeleteReply.self
        case .messageRestore: MessageRestoreReply.self
        case .generationStop, .runStop: GenerationStopReply.self
        case .generationList: GenerationListReply.self
        case .usageGet: UsageGetReply.self
        case .usageList: UsageListReply.self
        case .userList: UserListReply.self
        case .userUpdate: UserReply.self
        case .userCreate, .userReset: UserLinkReply.self
        case .runList: RunListReply.self
        case .auditList, .teamAudit: AuditListReply.self
        case .serverStatus: ServerStatusReply.self
        case .search: SearchReply.self
        case .modelList: ModelListReply.self
        case .modelPull: ModelReply.self
        case .sessionList, .userSessions: SessionListReply.self
        case .sessionRevokeOthers, .userSessionsRevoke: SessionRevokeOthersReply.self
        case .keyCreate: KeyCreateReply.self
        case .keyList: KeyListReply.self
        }
    }
}
