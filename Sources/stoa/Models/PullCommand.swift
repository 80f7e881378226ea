// `stoa model pull`.

import ArgumentParser
import EventLoop
import Glibc
import ModelHub
import TerminalText

/// Fetches a model.
struct PullCommand: AsyncParsableCommand, SignalTaking {
    static let signals = [SIGINT, SIGTERM]

    static let configuration = CommandConfiguration(
        commandName: "pull",
        abstract: "Fetch a model from the hub, and print its folder for serve --model.",
        discussion: """
            NAME is \(ModelName.registry.keys.sorted().joined(separator: ", ")), or org/name; \
            org/name:Q4_K_M or org/name:FILE fetches one GGUF file, and prints its path. \
            Ctrl-C interrupts a pull; the next one continues it. \(HubArguments.help)
            """
    )

    @Argument(help: "Name of the model.")
    var name: String

    @Option(help: "Branch, tag or commit.")
    var revision = "main"

    @Flag(help: "Only print what would be fetched.")
    var dryRun = false

    func run() async throws {
        let settings = try HubArguments.configuration()
        let (revision, dryRun) = (revision, dryRun)
        do {
            let target = try PullTarget(name)
            let line = try await EventLoop.run(name: "hub") { loop in
                // Stopping the loop cancels its tasks, and so this closure's.
                for signal in Self.signals { try loop.onSignal(signal) { loop.stop() } }
                let display = ProgressDisplay(name: "\(target)")
                defer { display.end() }
                let pull = try ModelPull(loop: loop, configuration: settings) { progress in
                    display.show(progress, at: loop.now)
                }
                if dryRun {
                    return Self.summary(of: try await pull.plan(target, revision: revision), target)
                }
                return try await pull.run(target, revision: revision)
            }
            StandardStreams.print("\(line)")
        } catch let error as HubError {
            throw CommandFailure(error)
        }
    }

    private static func summary(of plan: PullPlan, _ target: PullTarget) -> String {
        let files = plan.files.count == 1 ? "one file" : "\(plan.files.count) files"
        return """
            \(target) at \(plan.commit): \(files), \(ByteCount(plan.totalBytes)), of \
            which \(ByteCount(plan.missingBytes)) are missing
            """
    }
}
