// Operations on all teams, for administrators.

import ChatProtocol
import ChatStore

extension OperationRouter {
    mutating func addServerTeams() {
        handle(.serverTeams) { try await $0.listServerTeams($1) }
        handle(.serverTeam) { try await $0.getServerTeam($1) }
        handle(.serverTeamMember) { try await $0.setServerTeamMember($1) }
        handle(.serverTeamDelete) { try await $0.deleteServerTeam($1) }
    }
}

extension ClientSession {
    func listServerTeams(_ request: ServerTeamsRequest) async throws -> ServerTeamsReply {
        try Limits.check(request.query, "query", atMost: 256)
        try Limits.check(request.cursor, "cursor", atMost: 256)
        return try await server.store.teams.serverTeams(
            request,
            limit: try Limits.page(request.limit)
        )
    }

    func getServerTeam(_ request: TeamPageRequest) async throws -> TeamGetReply {
        try Limits.check(request.cursor, "cursor", atMost: 256)
        return try await server.store.teams.serverTeam(
            request,
            limit: try Limits.page(request.limit)
        )
    }

    /// Gives a member of any team another role, or removes them.
    func setServerTeamMember(_ request: ServerTeamMemberRequest) async throws -> EmptyReply {
        if let role = request.role {
            _ = try await server.store.teams.updateMember(
                TeamMemberUpdateRequest(team: request.team, user: request.user, role: role),
                by: user,
                asAdministrator: true
            )
        } else {
            let events = try await server.store.teams.removeMember(
                TeamMemberRemoveRequest(team: request.team, user: request.user),
                by: user,
                asAdministrator: true
            )
            server.nodes.tellMembers(events)
        }
        server.hub.lists.changed(request.team)
        server.nodes.standingChanged(of: request.user)
        await server.hub.settle()
        return EmptyReply()
    }

    func deleteServerTeam(_ request: TeamRequest) async throws -> EmptyReply {
        try await server.store.teams.delete(request.team, by: user, asAdministrator: true)
        server.hub.lists.changed(request.team)
        return EmptyReply()
    }
}
