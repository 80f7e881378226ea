// `stoa doctor`.

import ArgumentParser
import ChatServer
import TerminalText

struct DoctorCommandLine: AsyncParsableCommand, SettingsTaking {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check what the server needs; say how to fix faults.",
        discussion: """
            Changes nothing; works with or without a running server. The exit status is 0 if all \
            checks pass, 1 with warnings, 2 with failures.

            \(SettingsArguments.help)
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Check all messages, too; may take minutes.")
    var thorough = false

    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        let report = await report(try readSettings())
        if json {
            try JSONOutput.print(report)
        } else {
            for line in report.lines { StandardStreams.print("\(line)") }
        }
        guard report.exitStatus == 0 else { throw ExitCode(report.exitStatus) }
    }

    /// The settings, or why they are invalid: the doctor reports that, too.
    private func readSettings() throws -> Result<ServerSettings, StartupError> {
        do {
            return .success(try arguments.read())
        } catch let error as StartupError {
            return .failure(error)
        }
    }

    private func report(_ settings: Result<ServerSettings, StartupError>) async -> DoctorReport {
        switch settings {
        case .failure(let error): return Doctor.report(unreadableSettings: error.description)
        case .success(var settings):
            // Log messages about connections would repeat the report.
            settings.logLevel = .critical
            var options = Doctor.Options()
            options.isThorough = thorough
            return await Doctor.examine(
                settings,
                options: options,
                logger: LogSetup.logger(settings)
            )
        }
    }
}
