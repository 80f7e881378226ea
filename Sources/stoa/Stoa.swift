// The program's entry point: the list of commands, and the only place where a failure becomes a line on
// standard error and an exit code.

package import ArgumentParser
import ChatServer
import Dispatch
import EventLoop
import Glibc
import TerminalText

/// `stoa`.
package struct Stoa: AsyncParsableCommand {
    /// The list of commands.
    package static let configuration = CommandConfiguration(
        commandName: "stoa",
        abstract: "A self-hosted team chat server for Phi models.",
        // The list of commands says it, and is to fit a screen.
        usage: "",
        version: "stoa \(StoaVersion.text)",
        groupedSubcommands: [
            CommandGroup(
                name: "Conversation",
                subcommands: [
                    ChatCommandLine.self, FullScreenCommandLine.self, AskCommand.self,
                    SendCommand.self, TailCommand.self, ListConversationsCommand.self,
                    ShowCommand.self, SearchCommand.self,
                    ExportCommandLine.self, ImportCommandLine.self, LoginCommand.self,
                    LogoutCommand.self, WhoamiCommand.self, NamesCommand.self,
                ]
            ),
            CommandGroup(
                name: "Server",
                subcommands: [
                    ServeCommandLine.self, TopCommandLine.self, AdminCommand.self,
                    UserCommandLine.self,
                    ModelCommand.self, DoctorCommandLine.self, MigrateCommandLine.self,
                    BackupCommand.self, RestoreCommandLine.self, ReadyCommand.self,
                    SettingsCommand.self, GenerateCommandLine.self, ReplayCommandLine.self,
                    BenchCommandLine.self, VersionCommand.self, LicensesCommand.self,
                ]
            ),
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
            leave(with: error)
        }
    }

    /// Prints a message of ArgumentParser, which has arguments in it, and exits.
    private static func leave(with error: any Error) -> Never {
        let status = Stoa.exitCode(for: error)
        let message = Stoa.fullMessage(for: error)
        if !message.isEmpty {
            if status == .success {
                StandardStreams.print("\(message)")
            } else {
                StandardStreams.printError("\(message)")
            }
        }
        exit(status.rawValue)
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
            leave(with: error)
        }
    }
}
