// `stoa admin runs`.

import ArgumentParser
import ChatClient
import ChatProtocol
import TerminalText

struct AdminRunsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs",
        abstract: "List and stop runs.",
        subcommands: [List.self, Stop.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List queued and running answers.",
            discussion: ServerArguments.help
        )

        @OptionGroup var list: ListArguments
        @OptionGroup var connection: ServerArguments

        func run() async throws {
            try await list.show(
                connection,
                ["MESSAGE", "STATE", "POSITION", "USER", "MODEL", "PRIORITY", "SINCE", "NODE"],
                row: Self.row,
                json: { RunListReply(runs: $0) },
                page: { client, cursor, limit in
                    let reply = try await client.call(
                        .runList,
                        RunListRequest(cursor: cursor, limit: limit)
                    )
                    return (rows: reply.runs, next: reply.cursor)
                }
            )
        }

        private static func row(_ run: ServerRun) -> [String] {
            [
                "\(run.message)", run.state.rawValue, run.position.map { "\($0)" } ?? "",
                run.user.name, run.model, run.priority?.rawValue ?? "background",
                "\(run.queuedAt)", run.node ?? "",
            ]
        }
    }

    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stop answers of any user. Their text so far is kept.",
            discussion: ServerArguments.help
        )

        @Argument(help: "IDs of the answers, from “runs list”.")
        var messages: [String]

        @OptionGroup var connection: ServerArguments

        func validate() throws {
            for text in messages where MessageID(text) == nil {
                throw ValidationError("“\(text)” is not an id")
            }
        }

        func run() async throws {
            let ids = messages.compactMap { MessageID($0) }
            try await connection.connected { client in
                for id in ids {
                    let reply = try await client.call(
                        .runStop,
                        RunStopRequest(message: id)
                    )
                    let note = reply.state.isFinal ? "had ended" : "is stopping"
                    StandardStreams.print("\(id) \(note) (\(reply.state.rawValue))")
                }
            }
        }
    }
}
