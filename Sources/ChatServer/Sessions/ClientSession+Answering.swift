// Which operation is answered by what.

import ChatCore
import ChatProtocol
import ChatStore

extension ClientSession {
    /// Answers a request that the session's credential allows.
    /// - Throws: `WireError`, and what the database throws.
    func answer(_ request: ClientRequest) async throws {
        let id = request.id
        switch request.body {
        case .auth: grant(id, AuthReply(user: user))
        case .ping: grant(id, PingReply(time: .now))
        case .modelList: grant(id, listModels())
        case .modelPull(let body): grant(id, try await pullModel(body))
        case .modelPullCancel(let body): grant(id, try await cancelPull(body))
        case .conversationList(let body): grant(id, try await listConversations(body))
        case .conversationCreate(let body): grant(id, try await createConversation(body))
        case .conversationGet(let body):
            let conversation = try await server.store.conversations.conversation(
                body.conversation,
                for: user.id
            )
            grant(id, ConversationReply(conversation: conversation))
        case .conversationUpdate(let body): grant(id, try await updateConversation(body))
        case .conversationPrompts(let body): grant(id, try await listPrompts(body))
        case .conversationDelete(let body): grant(id, try await deleteConversation(body))
        case .conversationArchive(let body): grant(id, try await archive(body))
        case .conversationDeletedList(let body): grant(id, try await listDeleted(body))
        case .conversationRestore(let body): grant(id, try await restore(body))
        case .conversationHold(let body): grant(id, try await hold(body))
        case .conversationFork(let body): grant(id, try await fork(body))
        case .conversationWatch(let body): try await watch(id, body)
        case .conversationUnwatch(let body):
            unwatch(body.conversation)
            grant(id, EmptyReply())
        case .conversationRead(let body): grant(id, try await readConversation(body))
        case .conversationJoin(let body): grant(id, try await joinConversation(body))
        case .conversationMove(let body): grant(id, try await moveConversation(body))
        case .memberAdd(let body): grant(id, try await addMember(body))
        case .memberRemove(let body): grant(id, try await removeMember(body))
        case .messageList(let body): grant(id, try await listMessages(body))
        case .messageSend(let body): grant(id, try await sendMessage(body))
        case .messageEdit(let body): grant(id, try await editMessage(body))
        case .messageRegenerate(let body): grant(id, try await regenerate(body))
        case .messageContinue(let body): grant(id, try await continueAnswer(body))
        case .messageSelect(let body): grant(id, try await select(body))
        case .messageDelete(let body): grant(id, try await deleteMessage(body))
        case .messageRestore(let body): grant(id, try await restoreMessage(body))
        case .messageFeedback(let body): grant(id, try await rate(body))
        case .generationStop(let body): grant(id, try await stopGeneration(body))
        case .generationList: grant(id, try await listGenerations())
        case .typing(let body):
            try await server.store.conversations.require(.write, of: user.id, in: body.conversation)
            server.nodes.presence.typed(user, in: body.conversation)
            grant(id, EmptyReply())
        case .shareCreate(let body): grant(id, try await share(body))
        case .shareList(let body):
            let shares = try await server.store.shares.list(of: body.conversation, for: user.id)
            grant(id, ShareListReply(shares: shares))
        case .shareRevoke(let body): grant(id, try await revokeShare(body))
        case .shareWatch:
            throw WireError(
                .badRequest,
                "share.watch must be the first frame of a connection without an account"
            )
        case .usageGet(let body): grant(id, try await getUsage(body))
        case .usageList(let body): grant(id, try await listUsage(body))
        case .budgetSet(let body): grant(id, try await setBudget(body))
        case .userList, .userCreate, .userUpdate, .userSessions, .userSessionsRevoke, .userReset,
            .userDelete, .runList, .runStop, .auditList, .teamAudit, .serverStatus, .serverTeams,
            .serverTeam, .serverTeamMember, .serverTeamDelete:
            try await answerAdministration(id, request.body)
        case .search(let body): grant(id, try await search(body))
        case .sessionList: grant(id, try await listSessions())
        case .sessionRevoke(let body): grant(id, try await revokeSession(body))
        case .sessionRevokeOthers: grant(id, try await revokeOtherSessions())
        case .accountPassword(let body): grant(id, try await changePassword(body))
        case .accountDelete(let body): try await deleteAccount(id, body)
        case .keyCreate(let body): grant(id, try await createKey(body))
        case .keyList: grant(id, try await listKeys())
        case .keyRevoke(let body): grant(id, try await revokeKey(body))
        case .teamRetention(let body): grant(id, try await setRetention(body))
        case .promptCreate(let body): grant(id, try await createPrompt(body))
        case .promptUpdate(let body): grant(id, try await updatePrompt(body))
        case .promptList(let body): grant(id, try await listPrompts(body))
        case .promptVersions(let body): grant(id, try await listPromptVersions(body))
        case .promptDelete(let body):
            try await server.store.prompts.delete(body.prompt, by: user)
            grant(id, EmptyReply())
        case .teamCreate, .teamList, .teamGet, .teamUpdate, .teamDelete, .teamMemberUpdate,
            .teamMemberRemove, .teamInvite, .teamInviteList, .teamInviteRevoke, .teamJoin,
            .teamConversations:
            try await answerTeams(id, request.body)
        }
    }

    /// Answers what administrators ask.
    private func answerAdministration(_ id: Int64, _ body: RequestBody) async throws {
        switch body {
        case .userList(let body): grant(id, try await listUsers(body))
        case .userCreate(let body): grant(id, try await createUser(body))
        case .userUpdate(let body): grant(id, try await updateUser(body))
        case .userSessions(let body): grant(id, try await listUserSessions(body))
        case .userSessionsRevoke(let body): grant(id, try await revokeUserSessions(body))
        case .userReset(let body): grant(id, try await resetUser(body))
        case .userDelete(let body): grant(id, try await deleteUser(body))
        case .runList(let body): grant(id, try await listRuns(body))
        case .runStop(let body): grant(id, try await stopRun(body))
        case .auditList(let body): grant(id, try await listAudit(body))
        case .teamAudit(let body): grant(id, try await auditTeam(body))
        case .serverStatus: grant(id, try await serverStatus())
        case .serverTeams(let body): grant(id, try await listServerTeams(body))
        case .serverTeam(let body): grant(id, try await getServerTeam(body))
        case .serverTeamMember(let body): grant(id, try await setServerTeamMember(body))
        case .serverTeamDelete(let body): grant(id, try await deleteServerTeam(body))
        default: break
        }
    }

    /// Answers what is asked of teams.
    private func answerTeams(_ id: Int64, _ body: RequestBody) async throws {
        switch body {
        case .teamCreate(let body): grant(id, try await createTeam(body))
        case .teamList: grant(id, try await listTeams())
        case .teamGet(let body): grant(id, try await getTeam(body))
        case .teamUpdate(let body): grant(id, try await renameTeam(body))
        case .teamDelete(let body): grant(id, try await deleteTeam(body))
        case .teamMemberUpdate(let body): grant(id, try await updateTeamMember(body))
        case .teamMemberRemove(let body): grant(id, try await removeTeamMember(body))
        case .teamInvite(let body): grant(id, try await inviteToTeam(body))
        case .teamInviteList(let body): grant(id, try await listInvites(body))
        case .teamInviteRevoke(let body): grant(id, try await revokeInvite(body))
        case .teamJoin(let body): grant(id, try await joinTeam(body))
        case .teamConversations(let body): grant(id, try await listOpenConversations(body))
        default: break
        }
    }
}
