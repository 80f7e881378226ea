// `stoa names`: what shells complete. It never asks for a password.

import ArgumentParser
import ChatClient
import ChatProtocol
import Glibc
import TerminalText

/// `stoa names`, which help does not show.
struct NamesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "names",
        abstract: "Print names for the completion of shells.",
        shouldDisplay: false
    )

    /// What has names.
    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case conversations, models
    }

    /// The completion of an argument that names a conversation.
    static let conversations = completion(.conversations)
    /// The completion of an argument that names a model.
    static let models = completion(.models)

    private static func completion(_ kind: Kind) -> CompletionKind {
        .shellCommand("stoa names \(kind.rawValue) </dev/null 2>/dev/null")
    }

    @Argument(help: "What to name: conversations or models.")
    var kind: Kind

    @OptionGroup var connection: ServerArguments

    func run() async throws {
        let kind = kind
        let names = try await connection.connected { client in
            switch kind {
            case .models:
                let models = client.welcome?.models.map(\.name) ?? []
                return models.filter(CompletionName.isHarmless)
            case .conversations:
                let request = ConversationListRequest(limit: 200)
                let page = try await client.deliver(.conversationList, request)
                return page.conversations.map(CompletionName.of)
            }
        }
        // The completion scripts of ArgumentParser name their shell so.
        let shell = getenv("SAP_SHELL").flatMap { CompletionShell(rawValue: String(cString: $0)) }
        for name in names {
            StandardStreams.print("\(CompletionName.escaped(name, for: shell))")
        }
    }
}
