// The real server, with an engine that answers at once, or with a configured delay.

import ArgumentParser
import ChatServer
import Glibc
import Inference
import Logging

struct InstantServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve with an engine that answers at once, or at a pace, until killed."
    )

    @Option(help: "The database, as host=… dbname=….") var databaseURL: String
    @Option(help: "A folder for the server's files.") var dataDir: String
    @Option(help: "Connections to the database.") var connections = 8
    @Option(help: "Answers that are made at once.") var slots = 64
    @Option(help: "Milliseconds between the words of an answer; 0 answers at once.") var pace = 0

    func run() throws {
        var settings = ServerSettings()
        settings.port = 0
        settings.dataDirectory = dataDir
        settings.databaseURL = databaseURL
        settings.databaseConnections = connections
        settings.slotCount = slots
        settings.queueLimit = 100_000
        settings.questionsPerMinute = 0
        settings.connectionsPerUser = 0
        var logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        let (slots, pace) = (slots, pace)
        try ServeCommand.run(
            settings,
            logger: logger,
            makeEngine: { _, sink in
                guard pace > 0 else { return InstantEngine(slots: slots, sink: sink) }
                return SimulatedEngine(
                    configuration: try EngineConfiguration(slots: slots),
                    cost: SimulatedEngine.Cost(
                        step: .milliseconds(pace),
                        promptToken: .zero,
                        answerToken: .zero
                    ),
                    word: StampedText.word,
                    sink: sink
                )
            },
            announce: { line in
                print(line)
                fflush(nil)
            }
        )
    }
}
