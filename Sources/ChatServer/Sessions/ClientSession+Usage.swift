// Operations on usage and budgets.

import ChatCore
import ChatProtocol
import ChatStore

extension OperationRouter {
    mutating func addUsage() {
        handle(.usageGet) { try await $0.getUsage($1) }
        handle(.usageList) { try await $0.listUsage($1) }
        handle(.budgetSet) { try await $0.setBudget($1) }
    }
}

extension ClientSession {
    private var maySeeAllUsage: Bool {
        Permission.decide(ServerAction.audit, isAdministrator: credential.isAdministrator)
            == .granted
    }

    /// Tokens used, reserved and allowed: of the user, or of another user or a team if permitted.
    func getUsage(_ request: UsageGetRequest) async throws -> UsageGetReply {
        let owner: BudgetOwner
        switch (request.user, request.team) {
        case (nil, nil): owner = .user(user.id)
        case (let other?, nil):
            guard other == user.id || maySeeAllUsage else {
                throw WireError(.forbidden, "only administrators see what others used")
            }
            owner = .user(other)
        case (nil, let team?):
            if !maySeeAllUsage { try await server.store.ledger.requireAudit(of: team, by: user.id) }
            owner = .team(team)
        case (_?, _?): throw WireError(.badRequest, "name a user or a team, not both")
        }
        return try await server.store.ledger.usage(
            of: owner,
            otherwise: server.settings.budgetPerUser
        )
    }

    func listUsage(_ request: UsageListRequest) async throws -> UsageListReply {
        if !maySeeAllUsage, let team = request.team {
            try await server.store.ledger.requireAudit(of: team, by: user.id)
        }
        let seesAll = maySeeAllUsage || request.team != nil
        return try await server.store.ledger.usage(
            request,
            of: seesAll ? nil : user.id,
            limit: try Limits.page(request.limit)
        )
    }

    func setBudget(_ request: BudgetSetRequest) async throws -> EmptyReply {
        let owner: BudgetOwner
        switch (request.user, request.team) {
        case (let user?, nil): owner = .user(user)
        case (nil, let team?): owner = .team(team)
        default: throw WireError(.badRequest, "name a user or a team")
        }
        for limit in [request.daily, request.monthly].compactMap({ $0 })
        where !(0...Self.largestLimit).contains(limit) {
            throw WireError(.badRequest, "a limit must be 0 to \(Self.largestLimit)")
        }
        try await server.store.ledger.setBudget(
            TokenBudget(daily: request.daily, monthly: request.monthly),
            of: owner,
            by: Actor(user)
        )
        return EmptyReply()
    }

    /// The largest integer that every JSON parser represents exactly.
    private static let largestLimit: Int64 = (1 << 53) - 1
}
