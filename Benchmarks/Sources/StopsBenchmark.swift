// The time from a stop request until its slot is reused: the engine alone, on a model, in units of the
// step in which the request arrived.

import ArgumentParser
import Checkpoints
import Inference
import Synchronization
import Tokenizers

struct StopsBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stops",
        abstract: "Stop answers of a busy engine, and measure when their slots are used again."
    )

    @Option(help: "The model: \(BenchmarkModel.help).", transform: BenchmarkModel.path)
    var model: String
    @Option(help: "Stops to measure.") var stops = 1000
    @Option(help: "Answers that are made at the same time.") var slots = 4
    @Option(help: "Stops to measure on the whole way through the server.") var serverStops = 200
    @Option(help: "Threads that compute; 0 for the engine's default.") var threads = 0

    func run() async throws {
        let model = try LoadedModel.load(folder: model)
        let configuration = try EngineConfiguration(
            slots: slots,
            threads: threads == 0 ? EngineConfiguration.threadsDefault : threads
        )
        let log = EngineLog()
        let engine = try Engine(model: model, configuration: configuration) { log.take($0) }
        var load = FullEngine(engine: engine, log: log, model: model)
        var stops = StopFigures()
        var number = 0
        while stops.count < self.stops {
            number += 1
            // A quarter of the stop requests arrive while long prompts are processed in chunks.
            let isReading = number % 4 == 0
            try await load.fill(slots: slots, long: isReading)
            let stop = try await load.stopOne(pause: .microseconds(137 * (number % 50)))
            stops.add(stop, isReading)
        }
        engine.shutdown()
        print("## The engine alone\n\n\(stops.table)")
        guard serverStops > 0 else { return }
        let whole = try await ServerStops.measure(serverStops, model: model, slots: slots)
        print("\n## The server, with a simulated engine whose step takes \(whole.step) ms\n")
        print("| | p50 | p95 | p99 | max |\n|---|---|---|---|---|")
        print(
            StopFigures.row(
                "request to free slot, as `message.stopped` reports (ms)",
                whole.reported
            )
        )
        print(StopFigures.row("request to the next answer's start (ms)", whole.reuse))
    }
}

/// The engine's events, with their times.
private final class EngineLog: Sendable {
    struct State: Sendable {
        var startedAt: [UInt64: ContinuousClock.Instant] = [:]
        var ended: Set<UInt64> = []
        /// When the last batches arrived.
        var batches: [ContinuousClock.Instant] = []
    }

    private let state = Mutex(State())

    func take(_ events: [TokenEvent]) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.batches.append(now)
            if state.batches.count > 400 { state.batches.removeFirst(200) }
            for event in events {
                if case .started(let id, _, _) = event { state.startedAt[id] = now }
                if event.isLast { state.ended.insert(event.id) }
            }
        }
    }

    var now: State { state.withLock { $0 } }
}

/// Requests that fill an engine's slots, and one that waits.
private struct FullEngine {
    let engine: Engine
    let log: EngineLog
    let model: LoadedModel
    private var next: UInt64 = 0
    private var running: [UInt64] = []
    private var waiting: UInt64?
    private let short: [TokenID]
    private let long: [TokenID]

    init(engine: Engine, log: EngineLog, model: LoadedModel) {
        self.engine = engine
        self.log = log
        self.model = model
        func prompt(_ text: String) -> [TokenID] {
            model.template.encode(
                [ChatMessage(role: "user", content: text)],
                addGenerationPrompt: true
            ).tokens
        }
        short = prompt("Tell me a very long story.")
        long = prompt(String(repeating: "The long winter night is quiet. ", count: 150))
    }

    private mutating func submit(_ prompt: [TokenID]) throws -> UInt64 {
        next += 1
        try engine.submit(GenerationRequest(id: next, prompt: prompt, maxNewTokens: 500))
        return next
    }

    /// Waits until all slots are in use and one request waits.
    mutating func fill(slots: Int, long isLong: Bool) async throws {
        while true {
            let state = log.now
            running.removeAll { state.ended.contains($0) }
            if let id = waiting, state.startedAt[id] != nil || state.ended.contains(id) {
                if !state.ended.contains(id) { running.append(id) }
                waiting = nil
            }
            if running.count == slots, waiting != nil { return }
            if waiting == nil {
                let isPrompt = isLong && running.count.isMultiple(of: 2)
                waiting = try submit(isPrompt ? long : short)
            }
            try await Task.sleep(for: .microseconds(200))
        }
    }

    /// One stop request: from the call to the start of the waiting request.
    struct Stop {
        let latency: Duration
        /// The step in which the request arrived.
        let step: Duration
    }

    /// Stops a running answer after a pause.
    /// - Returns: nil if another answer ended meanwhile.
    mutating func stopOne(pause: Duration) async throws -> Stop? {
        guard let waiting, let victim = running.randomElement() else { return nil }
        try await Task.sleep(for: pause)
        if log.now.startedAt[waiting] != nil { return nil }
        let called = ContinuousClock.now
        engine.cancel(victim)
        while log.now.startedAt[waiting] == nil { try await Task.sleep(for: .microseconds(100)) }
        let state = log.now
        guard let started = state.startedAt[waiting], started >= called else { return nil }
        guard let before = state.batches.last(where: { $0 <= called }),
            let after = state.batches.first(where: { $0 > called })
        else { return nil }
        return Stop(latency: started - called, step: after - before)
    }
}

/// The figures of many stop requests.
private struct StopFigures {
    private var latencies = Sample()
    private var steps = Sample()
    private var inSteps = Sample()
    private var readingInSteps = Sample()
    private var buckets = [Int](repeating: 0, count: 12)
    private(set) var count = 0

    mutating func add(_ stop: FullEngine.Stop?, _ isReading: Bool) {
        guard let stop, stop.step > .zero else { return }
        count += 1
        let share = stop.latency / stop.step
        latencies.add(stop.latency.inSeconds * 1000)
        steps.add(stop.step.inSeconds * 1000)
        inSteps.add(share)
        if isReading { readingInSteps.add(share) }
        buckets[min(buckets.count - 1, Int(share * 10))] += 1
    }

    /// A line of a table: median, two percentiles and the maximum.
    static func row(_ name: String, _ sample: Sample) -> String {
        let figures = [0.5, 0.95, 0.99, 1].map {
            "\((sample.percentile($0) * 1000).rounded() / 1000)"
        }
        return "| \(name) | \(figures.joined(separator: " | ")) |"
    }

    var table: String {
        var lines = [
            "\(count) stops", "| | p50 | p95 | p99 | max |", "|---|---|---|---|---|",
            Self.row("stop to slot reuse (ms)", latencies),
            Self.row("the step it came in (ms)", steps),
            Self.row("in such steps", inSteps),
            Self.row("the same, while long prompts are read", readingInSteps), "",
            "| steps | stops |", "|---|---|",
        ]
        for (index, count) in buckets.enumerated() {
            let name =
                index == buckets.count - 1
                ? "1.1 and more" : "\(Double(index) / 10) to \(Double(index + 1) / 10)"
            lines.append("| \(name) | \(count) |")
        }
        return lines.joined(separator: "\n")
    }
}
