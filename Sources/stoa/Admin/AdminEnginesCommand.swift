// `stoa admin engines`.

import ArgumentParser
import ChatClient
import ChatProtocol
import TerminalText

struct AdminEnginesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engines",
        abstract: "List, add, drain and remove engines on other machines.",
        subcommands: [List.self, Add.self, Drain.self, Remove.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the remote engines as the server that is asked sees them.",
            discussion: ServerArguments.help
        )

        @OptionGroup var table: TableArguments
        @OptionGroup var connection: ServerArguments

        func run() async throws {
            let reply = try await connection.connected { client in
                try await client.call(.engineList, EmptyRequest())
            }
            try table.show(
                [
                    "LABEL", "MODEL", "STATE", "KIND", "RUNNING", "THERE", "FINISHED", "FAILED",
                    "FROM", "URL", "FAULT",
                ],
                reply.engines.map(Self.row),
                json: reply
            )
        }

        private static func row(_ engine: EngineSummary) -> [String] {
            var there = ""
            if let running = engine.runningThere, let waiting = engine.waitingThere {
                there = "\(running)+\(waiting)"
            }
            return [
                engine.label, engine.model, engine.state.rawValue, engine.kind ?? "",
                "\(engine.running)/\(engine.slots)", there, "\(engine.finished)",
                "\(engine.failed)", engine.source.rawValue, engine.url, engine.fault ?? "",
            ]
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an engine on all servers.",
            discussion: """
                The words are those of --remote-engine (docs/run/engines.md). A key is named by its \
                file or environment variable, which each server must have. \(ServerArguments.help)
                """
        )

        @Argument(help: ArgumentHelp("Base URL, model=NAME, and further words.", valueName: "WORD"))
        var words: [String]

        @OptionGroup var connection: ServerArguments

        func run() async throws {
            let request = EngineAddRequest(engine: words.joined(separator: " "))
            let reply = try await connection.connected { client in
                try await client.call(.engineAdd, request)
            }
            reply.engine.print()
        }
    }

    struct Drain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send an engine no new requests; its running answers finish.",
            discussion: ServerArguments.help
        )

        @Argument(help: "Label of the engine, from “engines list”.")
        var label: String

        @Flag(help: "Send it requests again.")
        var undo = false

        @OptionGroup var connection: ServerArguments

        func run() async throws {
            let request = EngineDrainRequest(label: label, draining: !undo)
            let reply = try await connection.connected { client in
                try await client.call(.engineDrain, request)
            }
            reply.engine.print()
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an engine that was added; others go on with its answers.",
            discussion: """
                Its running answers have 20 s to finish. The last engine of a model takes the model with it: the default model then answers \
                in its conversations. \(ServerArguments.help)
                """
        )

        @Argument(help: "Label of the engine, from “engines list”.")
        var label: String

        @Flag(help: "Other engines go on with its running answers at once.")
        var now = false

        @OptionGroup var confirmation: ConfirmationArguments
        @OptionGroup var connection: ServerArguments

        func run() async throws {
            try confirmation.confirm(
                "Remove the engine \(label)?",
                because: "this changes which machines answer"
            )
            let request = EngineRequest(label: label, isImmediate: now ? true : nil)
            _ = try await connection.connected { client in
                try await client.call(.engineRemove, request)
            }
            StandardStreams.print("\(label): removed")
        }
    }
}

extension EngineSummary {
    /// Prints its state.
    fileprivate func print() {
        StandardStreams.print("\(label): \(state.rawValue)")
    }
}
