// The server as it is, with an engine that answers at once.

import ArgumentParser
import ChatServer
import Glibc
import Logging

struct InstantServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve with an engine that answers at once, until killed."
    )

    @Option(help: "The database, as host=… dbname=….") var databaseURL: String
    @Option(help: "A folder for the server's files.") var dataDir: String
    @Option(help: "Connections to the database.") var connections = 8
    @Option(help: "Answers that are made at once.") var slots = 64

    func run() throws {
        var settings = ServerSettings()
        settings.port = 0
        settings.dataDirectory = dataDir
        settings.databaseURL = databaseURL
        settings.databaseConnections = connections
        settings.slotCount = slots
        settings.queueLimit = 100_000
        settings.questionsPerMinute = 0
        var logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        let slots = slots
        try ServeCommand.run(
            settings,
            logger: logger,
            makeEngine: { _, sink in InstantEngine(slots: slots, sink: sink) },
            announce: { line in
                print(line)
                fflush(nil)
            }
        )
    }
}
