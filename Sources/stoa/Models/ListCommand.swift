// `stoa model list`.

import ArgumentParser
import FoundationEssentials
import ModelHub

/// Lists the models in the cache.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the models in the cache.",
        discussion: """
            A line for each commit: name, revision or commit, size, and whether all is there. \
            \(HubArguments.help)
            """
    )

    @Flag(help: "Print a JSON array.")
    var json = false

    func run() throws {
        let models = ModelCache(try HubArguments.configuration()).models()
        guard !json else { return try JSONOutput.print(models) }
        if models.isEmpty { StandardStreams.printError("no models yet: stoa model pull NAME") }
        let rows = models.map(Self.row)
        for line in Table.lines(rows) { StandardStreams.print(line) }
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
