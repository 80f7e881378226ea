// One user with a hundred long questions beside nine with short ones: how long the nine wait, how tokens
// are shared, and how accurate the announced times are. Queue and database are real, the engine is
// simulated.

import ArgumentParser
import ChatProtocol
import ChatServer
import EventLoop
import FoundationEssentials
import Inference

struct FairnessBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fairness",
        abstract: "Share the slots of a simulated engine among a heavy user and light ones."
    )

    @Option(
        help: "A model, for its tokenizer: \(BenchmarkModel.help).",
        transform: BenchmarkModel.path
    )
    var model: String
    @Option(help: "Answers that are made at the same time.") var slots = 4
    @Option(help: "How often the heavy user meets the nine.") var trials = 10
    @Option(help: "Seconds in which everybody always has something waiting.") var seconds = 60
    @Option(help: "How many times faster than the cost model the engine is.") var speed = 10
    @Option(help: "How far answers are from their asker's usual length, as a share of it.")
    var spread = 0.2
    @Option(help: "Repeats a run.") var seed: UInt64 = 1

    func run() async throws {
        let loaded = try LoadedModel.load(folder: model)
        let database = try BenchmarkDatabase()
        defer { try? database.release() }
        let way = database.configuration
        let (slots, trials, seconds, speed, seed) = (slots, trials, seconds, speed, seed)
        let spread = spread
        let table = try await EventLoop.run { loop in
            let node = try SimulatedNode(
                loop,
                way,
                model: loaded,
                configuration: try EngineConfiguration(slots: slots, contextLimit: 2048),
                cost: SimulatedEngine.Cost().faster(by: speed)
            )
            var scene = try await FairnessScene(node, speed: speed, spread: spread, seed: seed)
            // Warmup: the server cannot estimate times before it has measured any.
            _ = try await scene.measureWaits(heavy: false)
            scene.announcements = []
            var alone = Sample()
            var beside = Sample()
            for _ in 0..<trials {
                for wait in try await scene.measureWaits(heavy: false) { alone.add(wait) }
                for wait in try await scene.measureWaits(heavy: true) { beside.add(wait) }
            }
            let shares = try await scene.saturate(for: .seconds(seconds))
            await node.end()
            return scene.table(alone, beside, shares)
        }
        print(table)
    }
}

/// Ten users of one node, and their load.
private struct FairnessScene {
    /// The announced and the actual time of a start, in seconds of the cost model.
    struct Announcement {
        let user: Int
        let eta: Double
        let wait: Double
        let isFirst: Bool

        /// Whether the start came within a quarter of the announced time.
        var isRight: Bool { abs(wait - eta) <= eta / 4 }
    }

    private let node: SimulatedNode
    private let speed: Double
    private let spread: Double
    private var dice: SplitMix64
    private var users: [User] = []
    var announcements: [Announcement] = []

    init(_ node: SimulatedNode, speed: Int, spread: Double, seed: UInt64) async throws {
        self.node = node
        self.spread = spread
        self.speed = Double(speed)
        dice = SplitMix64(seed: seed)
        for number in 0...9 { users.append(try await node.addUser("user-\(number)")) }
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(dice.nextUnit() * Double(range.count))
    }

    /// User 0 asks for long texts about long ones, the others for short ones.
    private mutating func question(of user: Int) -> String {
        let words = user == 0 ? number(900...1100) : number(20...60)
        // Each user has a typical length, from 60 to 140 tokens; the heavy user 150.
        let usual = user == 0 ? 150 : 50 + Double(user) * 10
        let length = Int(usual * (1 + spread * (2 * dice.nextUnit() - 1)))
        return "Say \(length) words about this:" + String(repeating: " night", count: words)
    }

    /// The nine users ask once each, spread over a second; with or without the heavy user's hundred
    /// questions before.
    /// - Returns: how long each of the nine waited, in seconds of the cost model.
    mutating func measureWaits(heavy: Bool) async throws -> [Double] {
        node.forgetRecords()
        var conversations: [MessageID: ConversationID] = [:]
        if heavy {
            for _ in 0..<100 {
                let conversation = try await node.conversation(of: users[0])
                let text = question(of: 0)
                let answer = try await node.ask(text, in: conversation, by: users[0], number: 0)
                conversations[answer] = conversation
            }
        }
        var moments: [(user: Int, moment: Double, conversation: ConversationID)] = []
        for user in 1...9 {
            let conversation = try await node.conversation(of: users[user])
            moments.append((user, dice.nextUnit() / speed, conversation))
        }
        let begin = ContinuousClock.now
        var answers: [MessageID] = []
        for (user, moment, conversation) in moments.sorted(by: { $0.moment < $1.moment }) {
            let left = Duration.seconds(moment) - (ContinuousClock.now - begin)
            if left > .zero { try await node.loop.sleep(for: left) }
            let text = question(of: user)
            answers.append(
                try await node.ask(text, in: conversation, by: users[user], number: user)
            )
        }
        try await node.wait { answers.allSatisfy { node.records[$0]?.endedAt != nil } }
        collect()
        for (answer, conversation) in conversations where node.records[answer]?.endedAt == nil {
            try await node.stop(answer, in: conversation)
        }
        try await node.wait { node.dispatcher.activeCount == 0 }
        return answers.compactMap { node.records[$0]?.wait.map { $0 * speed } }
    }

    /// Keeps every user's queue filled: the heavy user has a hundred questions, the others three
    /// each.
    /// - Returns: the number of tokens that each user got.
    mutating func saturate(for span: Duration) async throws -> [Int] {
        node.forgetRecords()
        var due = [0: 100]
        for user in 1...9 { due[user] = 3 }
        let end = ContinuousClock.now + span
        let begin = ContinuousClock.now + span / 10
        var counted: Set<MessageID> = []
        var open: [MessageID: ConversationID] = [:]
        while ContinuousClock.now < end {
            for user in 0...9 {
                for _ in 0..<(due[user] ?? 0) {
                    let conversation = try await node.conversation(of: users[user])
                    let text = question(of: user)
                    let answer = try await node.ask(
                        text,
                        in: conversation,
                        by: users[user],
                        number: user
                    )
                    open[answer] = conversation
                }
                due[user] = 0
            }
            try await node.loop.sleep(for: .milliseconds(2))
            for (message, record) in node.records where record.startedAt != nil {
                if counted.insert(message).inserted { due[record.user, default: 0] += 1 }
            }
        }
        var shares = [Int](repeating: 0, count: 10)
        for record in node.records.values {
            if let ended = record.endedAt, ended >= begin { shares[record.user] += record.tokens }
        }
        collect()
        for (message, conversation) in open where node.records[message]?.endedAt == nil {
            try await node.stop(message, in: conversation)
        }
        try await node.wait { node.dispatcher.activeCount == 0 }
        return shares
    }

    /// Collects the announced times of starts that waited at least a second of the cost model.
    private mutating func collect() {
        for record in node.records.values {
            guard let started = record.startedAt else { continue }
            for (index, announced) in record.announcements.enumerated() where announced.at < started
            {
                let entry = Announcement(
                    user: record.user,
                    eta: announced.eta * speed,
                    wait: (started - announced.at).inSeconds * speed,
                    isFirst: index == 0
                )
                if entry.eta >= 1 || entry.wait >= 1 { self.announcements.append(entry) }
            }
        }
    }

    func table(_ alone: Sample, _ beside: Sample, _ shares: [Int]) -> String {
        let tokens = shares.map(Double.init)
        let sum = tokens.reduce(0, +)
        let jain = sum * sum / (Double(tokens.count) * tokens.reduce(0) { $0 + $1 * $1 })
        func row(_ name: String, _ value: Double, _ goal: String) -> String {
            "| \(name) | \((value * 1000).rounded() / 1000) | \(goal) |"
        }
        func share(_ announcements: [Announcement]) -> Double {
            announcements.isEmpty
                ? 0 : Double(announcements.count { $0.isRight }) / Double(announcements.count)
        }
        let first = announcements.filter(\.isFirst)
        var ratios = Sample()
        for entry in first where entry.eta > 0 { ratios.add(entry.wait / entry.eta) }
        return [
            "| figure | measured | goal |", "|---|---|---|",
            row("the nine's wait, p50, alone (s)", alone.median, ""),
            row("the nine's wait, p50, beside the heavy user (s)", beside.median, ""),
            row("the nine's wait, p95, alone (s)", alone.percentile(0.95), ""),
            row("the nine's wait, p95, beside the heavy user (s)", beside.percentile(0.95), ""),
            row("ratio of p95", beside.percentile(0.95) / alone.percentile(0.95), "≤ 1.5"),
            row("Jain's index of served tokens, all ten always waiting", jain, "≥ 0.95"),
            row(
                "starts within 25 % of the first announced time (\(first.count))",
                share(first),
                "≥ 0.8"
            ),
            row("the same for the nine", share(first.filter { $0.user > 0 }), ""),
            row("the same for the heavy user", share(first.filter { $0.user == 0 }), ""),
            row("announced times within 25 % (\(announcements.count))", share(announcements), ""),
            row("wait by the first announced time, p10", ratios.percentile(0.1), ""),
            row("wait by the first announced time, p50", ratios.median, ""),
            row("wait by the first announced time, p90", ratios.percentile(0.9), ""),
            "served tokens by user: \(shares)",
        ].joined(separator: "\n")
    }
}
