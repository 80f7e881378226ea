// `stoa model remove`.

import ArgumentParser
import ModelHub

/// Removes a model from the cache.
struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a model from the cache.",
        discussion: """
            With --revision, only that commit goes, with the files that no other commit uses. The \
            cache is shared with other tools of the hub: they lose the model, too. \
            \(HubArguments.help)
            """
    )

    @Argument(help: "The model.")
    var name: String

    @Option(help: "A branch, a tag or a commit; without it all of the model goes.")
    var revision: String?

    @Flag(help: "Do not ask.")
    var yes = false

    func run() throws {
        let cache = ModelCache(try HubArguments.configuration())
        let model = try HubArguments.model(name)
        guard try yes || isConfirmed(model) else {
            throw CommandFailure(.interrupted, "nothing was removed")
        }
        let bytes = try HubArguments.reportingFailures { () throws(HubError) in
            try cache.remove(model, revision: revision)
        }
        StandardStreams.print("removed \(model): \(ByteCount(bytes)) are free again")
    }

    private func isConfirmed(_ name: ModelName) throws -> Bool {
        guard Terminal.isInput else {
            throw ValidationError("there is no terminal to ask: use --yes")
        }
        let what = revision.map { "\($0) of \(name)" } ?? "\(name)"
        StandardStreams.writeError("Remove \(what) from the cache? [y/N] ")
        return ["y", "yes"].contains(readLine(strippingNewline: true)?.lowercased())
    }
}
