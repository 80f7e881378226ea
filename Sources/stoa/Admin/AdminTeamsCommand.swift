// `stoa admin teams`.

import ArgumentParser
import ChatClient
import ChatProtocol
import TerminalText

struct AdminTeamsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "teams",
        abstract: "Manage teams.",
        subcommands: [
            List.self, Show.self, SetRole.self, Remove.self, Limit.self, Delete.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List all teams, by name.",
            discussion: ServerArguments.help
        )

        @Option(help: ArgumentHelp("Only names that contain this text.", valueName: "TEXT"))
        var query: String?

        @OptionGroup var list: ListArguments
        @OptionGroup var connection: ServerArguments

        func run() async throws {
            let query = query
            try await list.show(
                connection,
                ["NAME", "MEMBERS", "TOKENS A DAY", "A MONTH", "RETENTION", "CREATED", "ID"],
                row: Self.row,
                json: { ServerTeamsReply(teams: $0) },
                page: { client, cursor, limit in
                    let reply = try await client.call(
                        .serverTeams,
                        ServerTeamsRequest(cursor: cursor, limit: limit, query: query)
                    )
                    return (rows: reply.teams, next: reply.cursor)
                }
            )
        }

        private static func row(_ team: ServerTeam) -> [String] {
            [
                team.name, "\(team.members)", team.daily.map { "\($0)" } ?? "unlimited",
                team.monthly.map { "\($0)" } ?? "unlimited",
                team.retentionDays.map { "\($0) days" } ?? "unlimited", "\(team.createdAt)",
                "\(team.id)",
            ]
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the members of a team, and their roles.",
            discussion: ServerArguments.help
        )

        @Argument(help: "Name or ID of the team.")
        var team: String

        @OptionGroup var list: ListArguments
        @OptionGroup var connection: ServerArguments

        func run() async throws {
            let name = team
            try await list.show(
                connection,
                ["NAME", "ROLE", "SINCE", "ID"],
                row: { (member: TeamMember) in
                    [
                        member.user.name, member.role.rawValue, "\(member.joinedAt)",
                        "\(member.user.id)",
                    ]
                },
                json: { ["members": $0] },
                page: { client, cursor, limit in
                    let team = try await TeamName.id(name, client)
                    let reply = try await client.call(
                        .serverTeam,
                        TeamPageRequest(team: team, cursor: cursor, limit: limit)
                    )
                    return (rows: reply.members, next: reply.cursor)
                }
            )
        }
    }

    struct SetRole: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "role",
            abstract: "Change the role of a team member.",
            discussion: ServerArguments.help
        )

        @Argument(help: "Name or ID of the team.")
        var team: String

        @Argument(help: "Name or ID of the user.")
        var member: String

        @Argument(help: "Role: owner, admin, member or viewer.")
        var role: String

        @OptionGroup var connection: ServerArguments

        func validate() throws {
            guard TeamRole(rawValue: role) != nil else {
                let roles = TeamRole.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("“\(role)” is not one of \(roles)")
            }
        }

        func run() async throws {
            try await connection.setMember(member, of: team, to: TeamRole(rawValue: role))
            StandardStreams.print("\(member): \(role)")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a user from a team and its conversations.",
            discussion: ServerArguments.help
        )

        @Argument(help: "Name or ID of the team.")
        var team: String

        @Argument(help: "Name or ID of the user.")
        var member: String

        @OptionGroup var connection: ServerArguments

        func run() async throws {
            try await connection.setMember(member, of: team, to: nil)
            StandardStreams.print("removed \(member)")
        }
    }

    struct Limit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set the token limits of a team; without options, remove them.",
            discussion: ServerArguments.help
        )

        @Argument(help: "Name or ID of the team.")
        var team: String

        @OptionGroup var budget: BudgetArguments
        @OptionGroup var connection: ServerArguments

        func run() async throws {
            let (name, daily, monthly) = (team, budget.daily, budget.monthly)
            try await connection.connected { client in
                let team = try await TeamName.id(name, client)
                let request = BudgetSetRequest(team: team, daily: daily, monthly: monthly)
                _ = try await client.call(.budgetSet, request)
            }
            StandardStreams.print("\(team): \(budget)")
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a team that has no conversations.",
            discussion: ServerArguments.help
        )

        @Argument(help: "Name or ID of the team.")
        var team: String

        @OptionGroup var connection: ServerArguments

        func run() async throws {
            let name = team
            try await connection.connected { client in
                let request = TeamRequest(team: try await TeamName.id(name, client))
                _ = try await client.call(.serverTeamDelete, request)
            }
            StandardStreams.print("deleted \(team)")
        }
    }
}

extension ServerArguments {
    /// Changes a team member's role, or removes the member if `role` is nil.
    fileprivate func setMember(_ user: String, of team: String, to role: TeamRole?) async throws {
        try await connected { client in
            let request = ServerTeamMemberRequest(
                team: try await TeamName.id(team, client),
                user: try await AccountArguments.user(user, client),
                role: role
            )
            _ = try await client.call(.serverTeamMember, request)
        }
    }
}

/// How a team is named on a command line.
enum TeamName {
    /// The id in a text, or the id of the team with that name.
    /// - Throws: `CommandFailure` if there is no such team; what the server refuses.
    static func id(_ name: String, _ client: ChatClient) async throws -> TeamID {
        if let id = TeamID(name) { return id }
        let found: ServerTeam? = try await ListArguments.entry(named: name, \.name) {
            cursor,
            limit in
            let reply = try await client.call(
                .serverTeams,
                ServerTeamsRequest(cursor: cursor, limit: limit, query: name)
            )
            return (rows: reply.teams, next: reply.cursor)
        }
        if let found { return found.id }
        throw CommandFailure(.dataError, "unknown team “\(name)”")
    }
}

/// Token limits of a user or a team.
struct BudgetArguments: ParsableArguments, CustomStringConvertible {
    @Option(help: ArgumentHelp("Maximum tokens a day (UTC).", valueName: "TOKENS"))
    var daily: Int64?

    @Option(help: ArgumentHelp("Maximum tokens a calendar month (UTC).", valueName: "TOKENS"))
    var monthly: Int64?

    func validate() throws {
        for limit in [daily, monthly].compactMap({ $0 }) where limit < 0 {
            throw ValidationError("--daily and --monthly must be at least 0")
        }
    }

    var description: String {
        let limits = [daily.map { "\($0) tokens a day" }, monthly.map { "\($0) tokens a month" }]
        let texts = limits.compactMap { $0 }
        return texts.isEmpty ? "no limit of its own" : texts.joined(separator: ", ")
    }
}
