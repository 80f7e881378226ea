// `stoa model list`.

import ArgumentParser
import FoundationEssentials
import ModelHub
import TerminalText

/// Lists the models in the cache.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the models in the cache.",
        discussion: """
            Prints a line for each commit: name, revision, commit, size, completeness. \
            \(HubArguments.help)
            """
    )

    @OptionGroup var table: TableArguments

    func run() throws {
        let models = ModelCache(try HubArguments.configuration()).models()
        if models.isEmpty, !table.json {
            StandardStreams.printError("no models yet: run stoa model pull NAME")
        }
        try table.show(models.map(Self.row), json: models)
    }

    private static func row(_ model: CachedModel) -> [String] {
        [
            model.model,
            model.revisions.first ?? "",
            String(model.commit.prefix(12)),
            "\(ByteCount(model.bytes))",
            model.isComplete ? "complete" : "partial: \(model.missing.count) files are missing",
        ]
    }
}
