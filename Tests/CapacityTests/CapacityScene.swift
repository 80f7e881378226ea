// Costs of round numbers for the tests of the model.

import Capacity

enum CapacityScene {
    /// An engine that writes 20 tokens a second in one answer, whose step takes 50 ms and 2 ms more for
    /// each further answer, and reads 1,000 prompt tokens a second.
    static let engine = EngineSpeed(
        model: "made-up",
        batches: [1, 2, 4, 8, 16].map { count in
            let step = 0.05 + 0.002 * Double(count - 1)
            return .init(answers: count, tokensPerSecond: Double(count) / step)
        },
        promptTokensPerSecond: 1000,
        contextTokenMemory: 100_000,
        weightMemory: 2e9
    )

    static let costs: SiteCosts = {
        var node = SiteCosts.Node()
        node.idle = 0.002
        node.connection = 1e-6
        node.turn = 0.001
        node.promptToken = 5e-7
        node.turnReader = 2e-5
        node.delta = 2e-5
        node.deltaReader = 5e-6
        node.remoteAnswerSecond = 0.001
        node.memory = 3e7
        node.connectionMemory = 8000
        node.firstToken = 0.005
        var database = SiteCosts.Database()
        database.idle = 0.005
        database.turn = 0.002
        database.turnReader = 5e-5
        database.answerSecond = 0.0005
        database.remoteAnswerSecond = 0.002
        database.turnStatements = 12
        database.answerSecondStatements = 4
        database.turnWAL = 8000
        database.answerSecondWAL = 4000
        database.memory = 1e8
        return SiteCosts(
            machine: .init(processor: "made up", cores: 2, memory: 8e9, version: "0"),
            node: node,
            database: database,
            engine: engine
        )
    }()

    static func load(_ turnsPerSecond: Double, prompt: Double = 0, answer: Double = 100)
        -> EngineQueue.Load
    {
        .init(turnsPerSecond: turnsPerSecond, promptTokens: prompt, answerTokens: answer)
    }

    /// Whether two numbers differ by at most the share `tolerance`.
    static func isNear(_ one: Double, _ other: Double, within tolerance: Double = 0.01) -> Bool {
        abs(one - other) <= tolerance * max(abs(one), abs(other))
    }
}
