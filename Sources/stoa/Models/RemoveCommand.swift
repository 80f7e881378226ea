// `stoa model remove`.

import ArgumentParser
import ModelHub
import TerminalText

/// Removes a model from the cache.
struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a model from the cache.",
        discussion: """
            --revision removes only that commit, with the files that no other commit uses. The cache \
            is shared with other tools of the hub: they lose the model, too. \
            \(HubArguments.help)
            """
    )

    @Argument(help: "Name of the model.")
    var name: String

    @Option(help: "Branch, tag or commit. (default: all of the model)")
    var revision: String?

    @OptionGroup var confirmation: ConfirmationArguments

    func run() throws {
        let cache = ModelCache(try HubArguments.configuration())
        let model = try HubArguments.model(name)
        let what = revision.map { "\($0) of \(model)" } ?? "\(model)"
        try confirmation.confirm("Remove \(what) from the cache?")
        let bytes = try HubArguments.reportingFailures { () throws(HubError) in
            try cache.remove(model, revision: revision)
        }
        StandardStreams.print("removed \(model): \(ByteCount(bytes)) freed")
    }
}
