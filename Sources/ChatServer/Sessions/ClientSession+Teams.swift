// Operations on teams, their members, and the links into them.

import ChatCore
import ChatProtocol
import ChatStore

extension OperationRouter {
    mutating func addTeams() {
        handle(.teamCreate) { try await $0.createTeam($1) }
        handle(.teamList) { session, _ in try await session.listTeams() }
        handle(.teamGet) { try await $0.getTeam($1) }
        handle(.teamUpdate) { try await $0.renameTeam($1) }
        handle(.teamDelete) { try await $0.deleteTeam($1) }
        handle(.teamMemberUpdate) { try await $0.updateTeamMember($1) }
        handle(.teamMemberRemove) { try await $0.removeTeamMember($1) }
        handle(.teamInvite) { try await $0.inviteToTeam($1) }
        handle(.teamInviteList) { try await $0.listInvites($1) }
        handle(.teamInviteRevoke) { try await $0.revokeInvite($1) }
        handle(.teamJoin) { try await $0.joinTeam($1) }
        handle(.teamConversations) { try await $0.listOpenConversations($1) }
        handle(.conversationMove) { try await $0.moveConversation($1) }
        handle(.conversationJoin) { try await $0.joinConversation($1) }
    }
}

extension ClientSession {
    func createTeam(_ request: TeamCreateRequest) async throws -> TeamReply {
        let isAdministrator =
            credential.isAdministrator && credential.scopes.contains(.administer)
        let verdict = Permission.decide(.manageTeams, isAdministrator: isAdministrator)
        guard verdict == .granted || server.settings.teamCreation == .everyone else {
            throw WireError(.forbidden, "only administrators can create teams on this server")
        }
        try Limits.check(name: request.name, of: "a team")
        let team = try await server.store.teams.create(request, by: user)
        server.hub.lists.changed(team.id)
        return TeamReply(team: team)
    }

    func listTeams() async throws -> TeamListReply {
        // The number is read first: newer changes are sent again as events.
        let u = try await server.store.lists.position(of: user.id)
        return TeamListReply(teams: try await server.store.teams.list(of: user.id), u: u)
    }

    func getTeam(_ request: TeamPageRequest) async throws -> TeamGetReply {
        try Limits.check(request.cursor, "cursor", atMost: 256)
        return try await server.store.teams.team(
            request,
            limit: try Limits.page(request.limit),
            for: user.id
        )
    }

    func renameTeam(_ request: TeamUpdateRequest) async throws -> TeamReply {
        try Limits.check(name: request.name, of: "a team")
        let team = try await server.store.teams.rename(request, by: user)
        server.hub.lists.changed(team.id)
        return TeamReply(team: team)
    }

    func deleteTeam(_ request: TeamRequest) async throws -> EmptyReply {
        try await server.store.teams.delete(request.team, by: user)
        server.hub.lists.changed(request.team)
        return EmptyReply()
    }

    // MARK: Members

    func updateTeamMember(_ request: TeamMemberUpdateRequest) async throws -> TeamMemberReply {
        let member = try await server.store.teams.updateMember(request, by: user)
        server.hub.lists.changed(request.team)
        server.nodes.standingChanged(of: request.user)
        return TeamMemberReply(member: member)
    }

    func removeTeamMember(_ request: TeamMemberRemoveRequest) async throws -> EmptyReply {
        let events = try await server.store.teams.removeMember(request, by: user)
        server.nodes.tellMembers(events)
        server.hub.lists.changed(request.team)
        server.nodes.standingChanged(of: request.user)
        await server.hub.settle()
        return EmptyReply()
    }

    // MARK: Links

    func inviteToTeam(_ request: TeamInviteRequest) async throws -> TeamInviteReply {
        let seconds = request.expiresIn ?? 7 * 86400
        guard (60...365 * 86400).contains(seconds) else {
            throw WireError(.badRequest, "expires_in must be a minute to a year, in seconds")
        }
        guard (1...10_000).contains(request.uses ?? 1) else {
            throw WireError(.badRequest, "uses must be 1 to 10000")
        }
        let token = Token.make()
        let invite = try await server.store.teams.invite(
            request,
            tokenHash: token.hash,
            lifetime: .seconds(seconds),
            by: user
        )
        return TeamInviteReply(invite: invite, token: token.text)
    }

    func listInvites(_ request: TeamRequest) async throws -> TeamInviteListReply {
        TeamInviteListReply(
            invites: try await server.store.teams.invites(to: request.team, for: user.id)
        )
    }

    func revokeInvite(_ request: TeamInviteRevokeRequest) async throws -> EmptyReply {
        try await server.store.teams.revokeInvite(request, by: user)
        return EmptyReply()
    }

    func joinTeam(_ request: TeamJoinRequest) async throws -> TeamReply {
        let hash = Token(text: request.token).hash
        let team = try await server.store.teams.join(tokenHash: hash, by: user)
        server.hub.lists.changed(team.id)
        return TeamReply(team: team)
    }

    // MARK: Open conversations

    func listOpenConversations(
        _ request: TeamPageRequest
    ) async throws -> TeamConversationsReply {
        try await server.store.conversations.openConversations(
            request,
            limit: try Limits.page(request.limit),
            for: user.id
        )
    }

    func moveConversation(
        _ request: ConversationMoveRequest
    ) async throws -> ConversationReply {
        let committed = try await server.store.teams.moveConversation(request, by: user)
        server.hub.publish(committed.events, in: request.conversation)
        // The team's viewers become viewers of this conversation.
        for member in committed.value.members { server.nodes.standingChanged(of: member.user.id) }
        return ConversationReply(conversation: committed.value)
    }

    func joinConversation(_ request: ConversationRequest) async throws -> ConversationReply {
        let committed = try await server.store.conversations.join(request.conversation, by: user)
        server.hub.publish(committed.events, in: request.conversation)
        return ConversationReply(conversation: committed.value)
    }
}
