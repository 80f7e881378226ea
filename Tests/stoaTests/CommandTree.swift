// The commands as ArgumentParser describes them to other programs.

import ArgumentParser
import FoundationEssentials
import Testing
import stoa

/// A command without subcommands, with its options and arguments.
struct CommandDescription: Sendable, CustomTestStringConvertible {
    /// An option, a flag or a positional argument.
    struct Argument: Decodable, Sendable {
        struct Name: Decodable, Sendable {
            let kind: String
            let name: String
        }

        let kind: String
        let shouldDisplay: Bool
        let isOptional: Bool
        let names: [Name]?
        let valueName: String?

        /// Such as "--data-dir"; nil for a positional argument.
        var option: String? {
            names?.first { $0.kind == "long" }.map { "--\($0.name)" }
        }
    }

    /// The words after `stoa`.
    let words: [String]
    let arguments: [Argument]

    var name: String { words.joined(separator: " ") }
    var testDescription: String { name }
    var positionals: [Argument] { arguments.filter { $0.kind == "positional" } }
    /// The options without those that every command has.
    var options: [Argument] {
        arguments.filter { $0.option != nil && !["--help", "--version"].contains($0.option) }
    }

    private struct Dump: Decodable {
        let command: Node
    }

    private struct Node: Decodable {
        let commandName: String
        let subcommands: [Node]?
        let arguments: [Argument]?

        func leaves(_ words: [String]) -> [CommandDescription] {
            guard let subcommands, !subcommands.isEmpty else {
                return [CommandDescription(words: words, arguments: arguments ?? [])]
            }
            return subcommands.flatMap { $0.leaves(words + [$0.commandName]) }
        }
    }

    /// All commands but `help`.
    static let all: [CommandDescription] = {
        let dump = try? JSONDecoder().decode(Dump.self, from: Data(Stoa._dumpHelp().utf8))
        return dump?.command.leaves([]).filter { $0.words.first != "help" } ?? []
    }()
}
