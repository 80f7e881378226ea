// `stoa model pull`.

import ArgumentParser
import EventLoop
import FoundationEssentials
import ModelHub

/// Fetches a model.
struct PullCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull",
        abstract: "Fetch a model from the hub; prints its folder, which serve --model takes.",
        discussion: """
            NAME is \(ModelName.registry.keys.sorted().joined(separator: ", ")), or org/name. \
            HF_ENDPOINT, HF_HOME, HF_HUB_CACHE, HF_TOKEN and HF_HUB_OFFLINE are honoured. A \
            pull that was cut goes on where it ended.
            """
    )

    @Argument(help: "The model.")
    var name: String

    @Option(help: "A branch, a tag or a commit.")
    var revision = "main"

    func run() async throws {
        do {
            let environment = ProcessInfo.processInfo.environment
            let configuration = try HubConfiguration(environment: environment)
            let (model, revision) = (try ModelName(name), revision)
            let folder = try await EventLoop.run(name: "hub") { loop in
                var last = loop.now - .seconds(1)
                let pull = try ModelPull(loop: loop, configuration: configuration) { progress in
                    guard loop.now - last >= .seconds(1) else { return }
                    last = loop.now
                    StandardStreams.printError(progress.line)
                }
                return try await pull.run(model, revision: revision)
            }
            StandardStreams.print(folder)
        } catch let error as HubError {
            throw CommandFailure(error)
        }
    }
}
