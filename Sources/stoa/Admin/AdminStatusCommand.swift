// `stoa admin status`.

import ArgumentParser
import ChatClient
import ChatProtocol

struct AdminStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show nodes, models, queue, connections and database of a server.",
        discussion: ServerArguments.help
    )

    @OptionGroup var table: TableArguments
    @OptionGroup var connection: ServerArguments

    func run() async throws {
        let status = try await connection.connected { client in
            try await client.call(.serverStatus, EmptyRequest())
        }
        try table.show(Self.rows(status), json: status)
    }

    private static func rows(_ status: ServerStatusReply) -> [[String]] {
        var rows = [
            ["version", status.version],
            ["time", "\(status.time)"],
            ["connections", "\(status.connections)"],
            [
                "queue",
                "\(status.queue.running) running, \(status.queue.waiting) waiting, "
                    + "limit \(status.queue.limit)",
            ],
            ["database", database(status.database)],
        ]
        for model in status.models {
            let progress = model.progress.map { " \(Int($0 * 100)) %" } ?? ""
            let reason = model.reason.map { ": \($0)" } ?? ""
            rows.append(["model", "\(model.name) \(model.state.rawValue)\(progress)\(reason)"])
        }
        for node in status.nodes {
            let mark = node.current == true ? " (this one)" : ""
            rows.append(["node", "\(node.name), since \(node.startedAt)\(mark)"])
        }
        return rows
    }

    private static func database(_ status: DatabaseStatus) -> String {
        guard status.state == .ready else { return "unavailable" }
        let megabytes = (status.bytes ?? 0) / 1_000_000
        return "PostgreSQL \(status.version ?? ""), \(megabytes) MB, "
            + "\(status.connections ?? 0) connections"
    }
}
