// `stoa serve`.

import ArgumentParser
import ChatServer
import FoundationEssentials
import TerminalText

struct ServeCommandLine: AsyncParsableCommand, SettingsTaking, SignalTaking {
    static let signals = ServeCommand.signals

    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the server.",
        discussion: SettingsArguments.help
    )

    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        let settings = try arguments.read()
        let logger = LogSetup.logger(settings)
        let loader = arguments.loader(environment: ProcessInfo.processInfo.environment)
        try ServeCommand.run(
            settings,
            rereadSettings: { () throws(SettingError) in try loader.load() },
            logger: logger,
            announce: { StandardStreams.print("\($0)") }
        )
    }
}
