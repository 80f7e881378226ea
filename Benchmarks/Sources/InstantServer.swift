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
    @Option(help: "Instead of a pace, microseconds of a step; words are short then.") var step = 0
    @Option(help: "Microseconds of a step for each answer in it but one.") var answerToken = 0
    @Option(help: "Microseconds of a step for each prompt token in it.") var promptToken = 0
    @Option(help: "Prompt tokens of a step, at most.")
    var prefillChunk = EngineConfiguration.standard.prefillChunk
    @Flag(help: "Make no titles of conversations.") var noTitles = false

    /// The simulated engine's costs; nil for one that answers at once.
    private var cost: SimulatedEngine.Cost? {
        guard pace > 0 || step > 0 else { return nil }
        return SimulatedEngine.Cost(
            step: step > 0
                ? .microseconds(step - answerToken) : .milliseconds(pace),
            promptToken: .microseconds(promptToken),
            answerToken: .microseconds(answerToken)
        )
    }

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
        if noTitles { settings.titles = .off }
        var logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        let (command, cost) = (self, cost)
        try ServeCommand.run(
            settings,
            logger: logger,
            makeEngine: { _, _, sink in try command.engine(cost, sink) },
            announce: { line in
                print(line)
                fflush(nil)
            }
        )
    }

    private func engine(
        _ cost: SimulatedEngine.Cost?,
        _ sink: @escaping @Sendable ([TokenEvent]) -> Void
    ) throws -> any InferenceEngine {
        guard let cost else { return InstantEngine(slots: slots, sink: sink) }
        let isShort = step > 0
        let configuration = try EngineConfiguration(slots: slots, prefillChunk: prefillChunk)
        return try SimulatedEngine(
            configuration: configuration,
            cost: cost,
            word: { number in isShort ? "word " : StampedText.word(number) },
            sink: sink
        )
    }
}
