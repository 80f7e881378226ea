// What readers receive until their answer starts: the queue position, the estimated start, and a
// sign of progress every second. Also measures runs that began and ended, to improve the estimates.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Inference

/// Computes and broadcasts queue positions.
final class QueuePositions {
    /// Minimum time between two broadcasts of positions.
    private static let pause = Duration.milliseconds(250)
    /// Interval at which queued and silent runs are checked, so that readers receive an event every
    /// second.
    private static let pulsePause = Duration.milliseconds(450)
    /// Maximum positions per broadcast.
    private static let countMax = 2000

    private unowned let dispatcher: RunDispatcher
    private let loop: EventLoop
    private let runs: RunTable
    private let queue: QueueReader
    private var positions: [MessageID: QueuePosition] = [:]
    /// The first estimate of each run's start, and when it was made.
    private var firsts: [MessageID: (position: QueuePosition, at: ContinuousClock.Instant)] = [:]
    private var isPausing = false
    private var isWanted = false
    /// When positions were last broadcast, and how long the broadcast took.
    private var broadcastAt: ContinuousClock.Instant
    private var broadcastSpan = Duration.zero

    init(_ dispatcher: RunDispatcher) {
        self.dispatcher = dispatcher
        loop = dispatcher.loop
        runs = dispatcher.runs
        queue = dispatcher.queue
        broadcastAt = loop.now
    }

    /// The queue position of a run.
    subscript(message: MessageID) -> QueuePosition? { positions[message] }

    // MARK: Positions

    /// Broadcasts queue positions and estimated starts, at most four times a second.
    func broadcast() {
        guard !isPausing else {
            isWanted = true
            return
        }
        guard !queue.mirror.queue.waiting.isEmpty else {
            positions = [:]
            firsts = firsts.filter { runs.holds($0.key) }
            return
        }
        isPausing = true
        isWanted = false
        let begin = ContinuousClock.now
        compute()
        for position in positions.values where position.number <= Self.countMax {
            broadcast(position)
        }
        broadcastSpan = ContinuousClock.now - begin
        broadcastAt = loop.now
        // With a very long queue, broadcasts use at most a twentieth of the time.
        _ = loop.schedule(after: max(Self.pause, broadcastSpan * 20)) { [weak self] in
            guard let self else { return }
            isPausing = false
            if isWanted { broadcast() }
        }
    }

    private func broadcast(_ position: QueuePosition) {
        let answer = position.answer
        dispatcher.hub.broadcast(
            .messageQueued(
                MessageQueued(
                    conversation: answer.conversation,
                    message: answer.message,
                    position: position.number,
                    eta: position.seconds.map { ($0 * 100).rounded() / 100 },
                    model: dispatcher.pool?.awaited(by: answer.model)
                )
            ),
            in: answer.conversation
        )
    }

    private func compute() {
        let models = dispatcher.pool?.board.claimable ?? .only([])
        var occupied: [StartEstimate.Occupied] = []
        var slots = dispatcher.pool?.slots ?? 1
        for (message, answer) in queue.mirror.queue.running {
            let own = runs[message]
            if let own, !own.state.occupiesSlot { continue }
            // The number of other nodes' slots is unknown: assume those that are in use.
            if own == nil { slots += 1 }
            occupied.append(StartEstimate.Occupied(answer: answer, seconds: remaining(answer)))
        }
        let all = queue.estimate.positions(
            in: queue.mirror.queue,
            occupied: occupied,
            slots: slots
        ) {
            models.allows($0.model)
        }
        positions = Dictionary(uniqueKeysWithValues: all.map { ($0.answer.message, $0) })
        firsts = firsts.filter { positions[$0.key] != nil || runs.holds($0.key) }
        for position in all
        where position.seconds != nil && firsts[position.answer.message] == nil {
            firsts[position.answer.message] = (position, loop.now)
        }
    }

    /// Seconds until the slot of a run is free.
    private func remaining(_ answer: QueuedAnswer) -> Double {
        let own = runs[answer.message]
        guard let progress = own?.progress else {
            // It is being prepared, or another node has it: on average, half of it is done.
            let whole = queue.estimate.duration(
                promptTokens: answer.promptTokens,
                answerTokens: answer.answerTokens
            )
            return own == nil ? whole / 2 : whole
        }
        return queue.estimate.remaining(
            user: answer.user,
            atMost: dispatcher.configuration.maxTokens,
            unread: progress.promptTokens - progress.read,
            written: progress.written
        )
    }

    /// When a user's next run can be queued: when their first run has ended, or any user's if they
    /// have none.
    /// - Returns: seconds, at least 1; nil if unknown.
    func secondsUntilRoom(for user: UserID) -> Double? {
        guard queue.estimate.isKnown else { return nil }
        let running = queue.mirror.queue.running.values
        let own = running.filter { $0.user == user }
        let ends = (own.isEmpty ? Array(running) : own).map { remaining($0) }
        guard let first = ends.min() else { return nil }
        return max(1, first.rounded(.up))
    }

    /// How many runs are queued or running, as far as this node knows.
    var queueCount: Int { queue.mirror.queue.waiting.count + queue.mirror.queue.running.count }

    // MARK: Signs of progress

    /// Starts to report progress of runs of which no other event does.
    func startPulse() {
        _ = loop.schedule(after: Self.pulsePause) { [weak self] in
            guard let self, !dispatcher.isReleasing else { return }
            for run in runs.all where run.state.phase != .storing { pulse(run) }
            if !queue.mirror.queue.waiting.isEmpty, loop.now - broadcastAt > Self.pulsePause {
                broadcast()
            }
            startPulse()
        }
    }

    private func pulse(_ run: ActiveRun) {
        guard let answer = queue.mirror.queue.running[run.claim.message] else { return }
        let known = run.progress
        // The prompt's length is unknown until it is built.
        guard known.map({ loop.now - $0.heardAt > Self.pulsePause }) ?? true else { return }
        dispatcher.broadcastProgress(
            of: run,
            done: known?.read ?? 0,
            total: known?.promptTokens ?? answer.promptTokens
        )
    }

    // MARK: Learning

    /// Notes the progress of a run, and learns from it once it has ended.
    func note(_ event: TokenEvent, of run: ActiveRun) {
        switch event {
        case .started(_, let promptTokens, let cachedTokens):
            learnStart(of: run)
            run.progress = RunProgress(
                promptTokens: promptTokens,
                read: cachedTokens,
                heardAt: loop.now
            )
        case .progress, .text: run.progress?.take(event, at: loop.now)
        case .finished(_, let completion):
            run.progress = nil
            learn(from: completion, of: run.claim.message)
        case .failed: run.progress = nil
        }
    }

    private func learnStart(of run: ActiveRun) {
        queue.estimate.learn(turnaround: (loop.now - run.chosenAt).seconds)
        guard let (first, at) = firsts.removeValue(forKey: run.claim.message) else { return }
        queue.estimate.learn(
            simulated: first.simulatedSeconds ?? 0,
            came: (loop.now - at).seconds,
            isBehindOwn: first.isBehindOwn
        )
    }

    private func learn(from completion: Completion, of message: MessageID) {
        guard let answer = queue.mirror.queue.running[message] else { return }
        let tokens = completion.completionTokens
        let writeSeconds = completion.tokensPerSecond.map { Double(tokens - 1) / $0 }
        queue.estimate.learn(
            StartEstimate.Measured(
                expectedPromptTokens: answer.promptTokens,
                promptTokens: completion.promptTokens - completion.cachedTokens,
                answerTokens: completion.finish == .stopped ? 0 : tokens,
                readSeconds: completion.timeToFirstToken?.seconds,
                writeSeconds: writeSeconds ?? 0
            ),
            of: answer.user
        )
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
