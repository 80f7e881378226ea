// `stoa admin audit`.

import ArgumentParser
import ChatClient
import ChatProtocol
import FoundationEssentials

struct AdminAuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "List the audit log, newest entries first.",
        discussion: ServerArguments.help
    )

    @Option(help: ArgumentHelp("Only actions of this user (name or ID).", valueName: "USER"))
    var actor: String?

    @Option(
        help: ArgumentHelp(
            "Only this action, such as user.disabled; user for all of them.",
            valueName: "ACTION"
        )
    )
    var action: String?

    @Option(help: ArgumentHelp("Only actions in this team.", valueName: "ID"))
    var team: String?

    @Option(
        help: ArgumentHelp(
            "Start: 2026-11-22, or 2026-11-22T09:30:00Z.",
            valueName: "TIME"
        )
    )
    var from: String?

    @Option(help: ArgumentHelp("End (exclusive).", valueName: "TIME"))
    var to: String?

    @OptionGroup var list: ListArguments
    @OptionGroup var connection: ServerArguments

    func validate() throws {
        if let team, TeamID(team) == nil {
            throw ValidationError("--team: “\(team)” is not an id")
        }
        for (flag, text) in [("--from", from), ("--to", to)] {
            if let text, Timestamp(argument: text) == nil {
                throw ValidationError("\(flag): “\(text)” is not a day or a time in UTC")
            }
        }
    }

    func run() async throws {
        let filter = AuditListRequest(
            actor: actor,
            action: action,
            team: team.flatMap { TeamID($0) },
            from: from.flatMap { Timestamp(argument: $0) },
            to: to.flatMap { Timestamp(argument: $0) }
        )
        try await list.show(
            connection,
            ["TIME", "ACTOR", "ACTION", "OBJECT", "DETAIL"],
            row: Self.row,
            json: { AuditListReply(entries: $0) },
            page: { client, cursor, limit in
                var request = filter
                request.cursor = cursor
                request.limit = limit
                let reply = try await client.call(.auditList, request)
                return (rows: reply.entries, next: reply.cursor)
            }
        )
    }

    private static func row(_ entry: AuditEntry) -> [String] {
        let detail = (entry.detail ?? [:]).sorted { $0.key < $1.key }
        return [
            "\(entry.at)", entry.actor.name, entry.action, entry.object,
            detail.map { "\($0.key)=\($0.value)" }.joined(separator: " "),
        ]
    }
}
