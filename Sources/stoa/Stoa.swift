// The program's entry: the list of commands, and the one place where a failure becomes a line on
// standard error and an exit code.

package import ArgumentParser
import ChatServer
import EventLoop
import Glibc

/// `stoa`.
package struct Stoa: AsyncParsableCommand {
    /// The list of commands.
    package static let configuration = CommandConfiguration(
        commandName: "stoa",
        abstract: "A self-hosted team chat server for Phi models.",
        version: "stoa \(StoaVersion.text)",
        subcommands: [
            ServeCommandLine.self, UserCommandLine.self, MigrateCommandLine.self,
            VersionCommand.self,
        ]
    )

    /// For the parser.
    package init() {}
}

@main
private enum Program {
    // On the main thread, so that signals are blocked before there is another.
    @MainActor
    static func main() async {
        do {
            var command = try Stoa.parseAsRoot()
            if let taking = type(of: command) as? any SignalTaking.Type {
                SignalWatcher.block(taking.signals)
            }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as StartupError {
            StandardStreams.printError("stoa: \(error)")
            exit(error.kind.rawValue)
        } catch {
            Stoa.exit(withError: error)
        }
    }
}
