// The program's entry point: the list of commands, and the only place where a failure becomes a line on
// standard error and an exit code.

package import ArgumentParser
import ChatServer
import Dispatch
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
            ServeCommandLine.self, ChatCommandLine.self, UserCommandLine.self, AdminCommand.self,
            TopCommandLine.self, ModelCommand.self, MigrateCommandLine.self, DoctorCommandLine.self,
            GenerateCommandLine.self, ReplayCommandLine.self, ExportCommandLine.self,
            ImportCommandLine.self, BackupCommand.self, RestoreCommandLine.self, ReadyCommand.self,
            BenchCommandLine.self, VersionCommand.self,
            SettingsCommand.self, LicensesCommand.self,
        ]
    )

    /// For ArgumentParser.
    package init() {}
}

@main
private enum Program {
    /// Runs the command on another thread, and waits for it on this one. An async `main` would park
    /// the main thread in `dispatch_main`, which receives all signals there, blocked or not.
    static func main() {
        do {
            let command = try Stoa.parseAsRoot()
            if let taking = type(of: command) as? any SignalTaking.Type {
                SignalWatcher.block(taking.signals)
            }
            let ended = DispatchSemaphore(value: 0)
            // Safety: ownership passes to the other thread; this one does not use the command
            // again.
            nonisolated(unsafe) let handedOver = command
            Task.detached {
                await run(handedOver)
                ended.signal()
            }
            ended.wait()
        } catch {
            Stoa.exit(withError: error)
        }
    }

    private static func run(_ parsed: sending any ParsableCommand) async {
        do {
            var command = parsed
            if var command = parsed as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as StartupError {
            StandardStreams.printFailure("\(error)")
            exit(error.kind.rawValue)
        } catch let failure as CommandFailure {
            if !failure.message.isEmpty { StandardStreams.printFailure(failure.message) }
            exit(failure.status.rawValue)
        } catch {
            Stoa.exit(withError: error)
        }
    }
}
