// `stoa admin models`.

import ArgumentParser
import ChatClient
import ChatProtocol
import TerminalText

struct AdminModelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "models",
        abstract: "List, load and unload models, and choose the default one.",
        subcommands: [List.self, Load.self, Unload.self, Default.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the models of the server, the default first.",
            discussion: ServerArguments.help
        )

        @OptionGroup var table: TableArguments
        @OptionGroup var connection: ServerArguments

        func run() async throws {
            let reply = try await connection.connected { client in
                try await client.call(.modelList, EmptyRequest())
            }
            let rows = reply.models.map(Self.row)
            try table.show(
                ["NAME", "STATE", "DEFAULT", "CONTEXT", "THINKING", "REASON"],
                rows,
                json: reply
            )
            guard !table.json, let memory = reply.memory else { return }
            StandardStreams.print(
                """
                memory: \(memory.availableBytes / 1_000_000) of \(memory.totalBytes / 1_000_000) MB \
                available
                """
            )
        }

        private static func row(_ model: Model) -> [String] {
            let progress = model.progress.map { " \(Int($0 * 100)) %" } ?? ""
            return [
                model.name, "\(model.state.rawValue)\(progress)",
                model.isDefault == true ? "yes" : "",
                model.contextLength.map { "\($0)" } ?? "",
                model.maxThinkingTokens.map { $0 == 0 ? "off" : "\($0)" } ?? "", model.reason ?? "",
            ]
        }
    }

    struct Load: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Load a model that was unloaded or could not be loaded.",
            discussion: ServerArguments.help
        )

        @Argument(help: "Name of the model, from “models list”.")
        var model: String

        @OptionGroup var connection: ServerArguments

        func run() async throws {
            try await connection.change(model, with: .modelLoad)
        }
    }

    struct Unload: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Unload a model once its running answers have ended.",
            discussion: """
                Its files stay on the disk. Until it is loaded again, the default model answers in \
                its conversations. \(ServerArguments.help)
                """
        )

        @Argument(help: "Name of the model, from “models list”.")
        var model: String

        @OptionGroup var confirmation: ConfirmationArguments
        @OptionGroup var connection: ServerArguments

        func run() async throws {
            try confirmation.confirm(
                "Unload \(model)? The default model then answers in its conversations.",
                because: "this changes which model answers"
            )
            try await connection.change(model, with: .modelUnload)
        }
    }

    struct Default: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a model answer in new conversations that choose none.",
            discussion: ServerArguments.help
        )

        @Argument(help: "Name of the model, from “models list”.")
        var model: String

        @OptionGroup var connection: ServerArguments

        func run() async throws {
            try await connection.change(model, with: .modelDefault)
        }
    }
}

extension ServerArguments {
    /// Requests a change of a model, and prints its state afterwards.
    fileprivate func change(
        _ name: String,
        with operation: Operation<ModelRequest, ModelReply>
    ) async throws {
        let reply = try await connected { client in
            try await client.call(operation, ModelRequest(name: name))
        }
        let mark = reply.model.isDefault == true ? ", the default" : ""
        StandardStreams.print(
            "\(reply.model.name): \(reply.model.state.rawValue)\(mark)"
        )
    }
}
