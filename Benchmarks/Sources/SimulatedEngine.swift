// An engine that computes nothing: the real scheduler and command queue, with step durations from a cost
// model.

import EventLoop
import Glibc
import Inference
import Tokenizers

/// An engine whose answers have the length that their question names ("Say 83 words …").
final class SimulatedEngine: InferenceEngine {
    /// The cost of a step.
    struct Cost: Sendable {
        /// For any step.
        var step = Duration.milliseconds(20)
        /// For each prompt token in it.
        var promptToken = Duration.microseconds(300)
        /// For each decoding answer in it.
        var answerToken = Duration.milliseconds(2)

        /// The same costs on a faster machine.
        func faster(by factor: Int) -> Cost {
            Cost(
                step: step / factor,
                promptToken: promptToken / factor,
                answerToken: answerToken / factor
            )
        }

        /// The duration of a step with this work.
        func duration(of work: [StepPlan.Work]) -> Duration {
            work.reduce(step) { sum, part in
                switch part {
                case .prefill(_, let range, _): sum + promptToken * range.count
                case .decode: sum + answerToken
                }
            }
        }
    }

    /// The name of its thread, whose processor time is no server's.
    static let threadName = "simulated step"

    private let configuration: EngineConfiguration
    private let queue: CommandQueue

    /// An idle engine.
    /// - Parameters:
    ///   - configuration: its slots and limits.
    ///   - cost: the duration of its steps.
    ///   - word: the text of an answer's word with this number.
    ///   - sink: called with its events.
    /// - Throws: `SystemError` if no thread is available.
    init(
        configuration: EngineConfiguration,
        cost: Cost,
        word: @escaping @Sendable (Int) -> String = { _ in "word " },
        sink: @escaping @Sendable ([TokenEvent]) -> Void
    ) throws(SystemError) {
        self.configuration = configuration
        let queue = CommandQueue(limit: configuration.queueLimit)
        self.queue = queue
        try detachThread(name: Self.threadName) {
            var steps = SimulatedSteps(configuration, cost, queue, word: word, sink: sink)
            steps.run()
            queue.end()
        }
    }

    var capacity: EngineCapacity {
        let load = queue.load
        return EngineCapacity(
            slots: configuration.slots,
            queueLimit: configuration.queueLimit,
            contextLength: configuration.contextLimit,
            running: load.running,
            waiting: load.waiting
        )
    }

    func submit(_ request: GenerationRequest) throws(EngineError) {
        try queue.submit(request, at: .now, slots: configuration.slots)
    }

    func cancel(_ id: UInt64) { queue.cancel(id) }

    func shutdown() {
        queue.close()
        queue.waitForEnd()
    }
}

/// The steps of a simulated engine.
private struct SimulatedSteps {
    private struct Answer {
        var request: GenerationRequest
        var submittedAt: ContinuousClock.Instant
        var length: Int
        var written = 0
        var firstTokenAt: ContinuousClock.Instant?
    }

    private let cost: SimulatedEngine.Cost
    private let queue: CommandQueue
    private let word: (Int) -> String
    private let sink: ([TokenEvent]) -> Void
    private var scheduler: Scheduler
    private var answers: [UInt64: Answer] = [:]

    init(
        _ configuration: EngineConfiguration,
        _ cost: SimulatedEngine.Cost,
        _ queue: CommandQueue,
        word: @escaping (Int) -> String,
        sink: @escaping ([TokenEvent]) -> Void
    ) {
        self.cost = cost
        self.queue = queue
        self.word = word
        self.sink = sink
        scheduler = Scheduler(
            slots: configuration.slots,
            prefillChunk: configuration.prefillChunk
        )
    }

    /// Runs steps until the queue is closed.
    mutating func run() {
        var end = ContinuousClock.now
        var isIdle = true
        while true {
            let batch = queue.take(waiting: isIdle)
            if isIdle { end = .now }
            for command in batch.commands { receive(command) }
            if batch.isClosed {
                return sink(
                    scheduler.stopAll().compactMap { finish($0.id, $0.reason, $0.wasRunning) }
                )
            }
            isIdle = !runStep(endingAfter: &end)
        }
    }

    /// Runs a step.
    /// - Parameter end: when the step before ended by plan, and then this one: a thread that wakes
    ///   late makes no slow engine.
    /// - Returns: false if there was no work.
    private mutating func runStep(endingAfter end: inout ContinuousClock.Instant) -> Bool {
        let plan = scheduler.plan(at: .now)
        var events = plan.endings.compactMap { finish($0.id, $0.reason, $0.wasRunning) }
        for id in plan.admitted {
            queue.wasAdmitted(id)
            let count = answers[id]?.request.prompt.count ?? 0
            events.append(.started(id: id, promptTokens: count, cachedTokens: 0))
        }
        if !events.isEmpty { sink(events) }
        guard !plan.work.isEmpty else { return false }
        let duration = cost.duration(of: plan.work)
        scheduler.computed(plan.work, in: duration)
        end += duration
        sleep(until: end)
        sink(plan.work.flatMap { settle($0) })
        return true
    }

    private func sleep(until end: ContinuousClock.Instant) {
        let left = end - .now
        guard left > .zero else { return }
        usleep(UInt32(min(left / .microseconds(1), 1e9)))
    }

    private mutating func receive(_ command: Command) {
        switch command {
        case .submit(let request, let submittedAt):
            answers[request.id] = Answer(
                request: request,
                submittedAt: submittedAt,
                length: Self.length(of: request)
            )
            scheduler.enqueue(request.id, promptCount: request.prompt.count)
        case .cancel(let id):
            scheduler.cancel(id)
        case .forget, .found, .stored:
            // The simulated engine caches nothing.
            break
        }
    }

    /// The number in the question; 50 if there is none.
    private static func length(of request: GenerationRequest) -> Int {
        let words = request.messages.last?.content.split(separator: " ") ?? []
        let named = words.lazy.compactMap { Int($0) }.first ?? 50
        return max(1, min(named, request.maxNewTokens))
    }

    private mutating func settle(_ part: StepPlan.Work) -> [TokenEvent] {
        guard let answer = answers[part.id] else { return [] }
        if case .prefill(let id, let range, false) = part {
            let total = answer.request.prompt.count
            return [.progress(id: id, done: range.upperBound, total: total)]
        }
        let written = answer.written + 1
        answers[part.id]?.written = written
        if answer.firstTokenAt == nil { answers[part.id]?.firstTokenAt = .now }
        let text = TokenEvent.text(id: part.id, text: word(written), tokens: [1])
        guard written >= answer.length else { return [text] }
        scheduler.release(part.id)
        return [text] + [finish(part.id, .stop, true)].compactMap { $0 }
    }

    private mutating func finish(
        _ id: UInt64,
        _ reason: FinishReason,
        _ wasRunning: Bool
    ) -> TokenEvent? {
        guard let answer = answers.removeValue(forKey: id) else { return nil }
        queue.wasFinished(id, admitted: wasRunning)
        let span = answer.firstTokenAt.map { (ContinuousClock.now - $0).inSeconds } ?? 0
        return .finished(
            id: id,
            completion: Completion(
                finish: reason,
                promptTokens: answer.request.prompt.count,
                completionTokens: answer.written,
                timeToFirstToken: answer.firstTokenAt.map { $0 - answer.submittedAt },
                tokensPerSecond: answer.written > 1 && span > 0
                    ? Double(answer.written - 1) / span : nil
            )
        )
    }
}
