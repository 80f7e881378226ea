// What `stoa top` shows: the replies of three operations, as lines.

package import ChatClient
package import ChatProtocol
import TerminalText

/// One reading of a server.
package struct TopReading: Encodable, Sendable {
    /// Answers that are asked for; a screen has room for fewer.
    private static let runLimit = 100

    let status: ServerStatusReply
    let engines: [EngineSummary]
    let runs: [ServerRun]

    /// Creates a reading from replies.
    package init(status: ServerStatusReply, engines: [EngineSummary], runs: [ServerRun]) {
        self.status = status
        self.engines = engines
        self.runs = runs
    }

    /// Asks a server, and waits for it if the connection is lost, as when a node restarts.
    /// - Throws: `ChatClientError`, for example if the user is no administrator.
    package init(_ client: ChatClient) async throws {
        status = try await client.deliver(.serverStatus, EmptyRequest())
        engines = try await client.deliver(.engineList, EmptyRequest()).engines
        runs = try await client.deliver(.runList, RunListRequest(limit: Self.runLimit)).runs
    }

    /// All lines, as long as they are.
    package var lines: [String] {
        var parts = [summary, nodes, models]
        if !engines.isEmpty { parts.append(remoteEngines) }
        parts.append(answers)
        return Array(parts.joined(separator: [""]))
    }

    /// The lines that fit into a screen.
    /// - Parameters:
    ///   - columns: the screen's width, in characters.
    ///   - rows: its height.
    /// - Returns: at most so many lines; the last one says how many did not fit.
    package func lines(columns: Int, rows: Int) -> [String] {
        var lines = lines
        let rows = max(1, rows)
        if lines.count > rows {
            let hidden = lines.count - rows + 1
            lines = lines.prefix(rows - 1) + ["(\(hidden) more lines)"]
        }
        return lines.map { String(ColumnWidth.prefix($0, columns: max(1, columns))) }
    }

    // MARK: Parts

    private var summary: [String] {
        let queue = status.queue
        let rows = [
            ["stoa \(status.version)", "\(status.time)"],
            [
                "queue",
                "\(queue.running) running, \(queue.waiting) waiting, limit \(queue.limit)",
            ],
            ["connections", "\(status.connections)"],
            ["database", database],
        ]
        return Table.lines(rows + load)
    }

    private var load: [[String]] {
        guard let load = status.load else { return [] }
        let (used, waiting) = (load.databaseConnectionsUsed, load.databaseWaiting)
        return [
            ["pool", "\(load.databaseConnections) open, \(used) in use, \(waiting) waiting"],
            [
                "loop",
                "99 % of turns within \(Self.milliseconds(load.usualLagMilliseconds)), all within "
                    + Self.milliseconds(load.longestLagMilliseconds),
            ],
        ]
    }

    private static func milliseconds(_ number: Double) -> String {
        Int(exactly: number).map { "\($0) ms" } ?? "\(number) ms"
    }

    /// The tokens per second of a model; empty if it generates none.
    private func speed(of model: String) -> String {
        let speed = status.load?.models.first { $0.model == model }
        return speed.map { "\(Int($0.tokensPerSecond.rounded()))" } ?? ""
    }

    private var database: String {
        let database = status.database
        guard database.state == .ready else { return "unavailable" }
        let oldest = database.oldestTransactionSeconds ?? 0
        return "\(database.connections ?? 0) connections, \((database.bytes ?? 0) / 1_000_000) MB, "
            + "oldest transaction \(Int(oldest)) s"
    }

    private var nodes: [String] {
        Table.lines(
            [["NODE", "UP", "SEEN"]]
                + status.nodes.map { node in
                    [
                        node.name + (node.current == true ? " *" : ""),
                        Self.span(since: node.startedAt, until: status.time),
                        Self.span(since: node.seenAt, until: status.time) + " ago",
                    ]
                }
        )
    }

    private var models: [String] {
        Table.lines(
            [["MODEL", "STATE", "TOKENS/S", ""]]
                + status.models.map { model in
                    let progress = model.progress.map { "\(Int($0 * 100)) %" }
                    return [
                        model.name, model.state.rawValue, speed(of: model.name),
                        progress ?? model.reason ?? "",
                    ]
                }
        )
    }

    private var remoteEngines: [String] {
        Table.lines(
            [["ENGINE", "MODEL", "STATE", "RUNNING", "FINISHED", "FAILED"]]
                + engines.map { engine in
                    [
                        engine.label, engine.model, engine.state.rawValue,
                        "\(engine.running)/\(engine.slots)", "\(engine.finished)",
                        "\(engine.failed)",
                    ]
                }
        )
    }

    private var answers: [String] {
        Table.lines(
            [["ANSWER OF", "STATE", "SINCE", "MODEL", "NODE"]]
                + runs.map { run in
                    let position = run.position.map { " \($0)" } ?? ""
                    return [
                        run.user.name, run.state.rawValue + position,
                        Self.span(since: run.queuedAt, until: status.time), run.model,
                        run.node ?? "",
                    ]
                }
        )
    }

    /// A duration by its largest unit; clocks may differ a little.
    private static func span(since start: Timestamp, until end: Timestamp) -> String {
        let seconds = max(0, end.milliseconds - start.milliseconds) / 1000
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}
