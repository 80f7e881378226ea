// `stoa admin usage`.

import ArgumentParser
import ChatClient
import ChatProtocol

struct AdminUsageCommand: AsyncParsableCommand {
    /// What usage is summed by.
    enum Grouping: String, ExpressibleByArgument, CaseIterable {
        case user
        case day
    }

    static let configuration = CommandConfiguration(
        commandName: "usage",
        abstract: "Show token usage by user and day.",
        discussion: ServerArguments.help
    )

    @Option(help: ArgumentHelp("Only usage in this team (name or ID).", valueName: "TEAM"))
    var team: String?

    @Option(help: ArgumentHelp("First day (UTC), such as 2026-11-22.", valueName: "DAY"))
    var from: String?

    @Option(help: ArgumentHelp("Last day.", valueName: "DAY"))
    var to: String?

    @Option(help: ArgumentHelp("Sum up by user or by day.", valueName: "user|day"))
    var by: Grouping?

    @OptionGroup var list: ListArguments
    @OptionGroup var connection: ServerArguments

    func run() async throws {
        let (name, from, to) = (team, self.from, self.to)
        let list = list
        let (days, hasMore) = try await connection.connected { client in
            var team: TeamID?
            if let name { team = try await TeamName.id(name, client) }
            let filter = UsageListRequest(team: team, from: from, to: to)
            return try await list.collect { cursor, limit in
                var request = filter
                request.cursor = cursor
                request.limit = limit
                let reply = try await client.call(.usageList, request)
                return (rows: reply.days, next: reply.cursor)
            }
        }
        if let by {
            let sums = UsageSum.sums(of: days, by: by)
            let headings = [by.rawValue.uppercased(), "TOKENS", "ANSWERS"]
            try list.table.show(headings, sums.map(\.row), json: ["sums": sums])
        } else {
            let headings = ["DAY", "USER", "TOKENS", "ANSWERS"]
            try list.table.show(headings, days.map(Self.row), json: UsageListReply(days: days))
        }
        list.note(hasMore: hasMore)
    }

    private static func row(_ day: UsageDay) -> [String] {
        [day.day, UsageSum.holder(of: day), "\(day.used)", "\(day.answers)"]
    }
}

/// The usage of one user on all days, or of all users on one day.
struct UsageSum: Codable, Hashable {
    /// The user, or the day.
    let of: String
    /// Tokens.
    var used: Int64
    var answers: Int64

    var row: [String] { [of, "\(used)", "\(answers)"] }

    /// Sums days by user, heaviest first, or by day, in order.
    static func sums(of days: [UsageDay], by grouping: AdminUsageCommand.Grouping) -> [UsageSum] {
        var sums: [String: UsageSum] = [:]
        for day in days {
            let key = grouping == .day ? day.day : holder(of: day)
            sums[key, default: UsageSum(of: key, used: 0, answers: 0)].used += day.used
            sums[key]?.answers += day.answers
        }
        return sums.values.sorted { first, second in
            if grouping == .day || first.used == second.used { return first.of < second.of }
            return first.used > second.used
        }
    }

    /// The user's name; a deleted user's id.
    static func holder(of day: UsageDay) -> String {
        day.name ?? day.user.map { "\($0)" } ?? "the server"
    }
}
