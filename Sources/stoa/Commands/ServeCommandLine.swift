// `stoa serve`.

import ArgumentParser
import ChatServer

struct ServeCommandLine: AsyncParsableCommand, SignalTaking {
    static let signals = ServeCommand.signals

    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the page, the protocol and the answers.",
        discussion: SettingsArguments.help
    )

    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        let settings = try arguments.read()
        let logger = LogSetup.logger(settings)
        try ServeCommand.run(settings, logger: logger, announce: StandardStreams.print)
    }
}
