// The engine's work, one step at a time, on the single thread that calls `step`.
//
// It takes commands, gets a plan from the scheduler, lets the model compute it, samples, and passes
// the events to the sink as one batch; starts and ends are published before the computation. It is
// the only owner of the running answers.

import Checkpoints
import PhiModel

/// Turns requests into events. Not Sendable: it lives on one thread.
final class EngineLoop {
    /// Maximum time for writing pages to disk at shutdown.
    private static let writingMax: Duration = .seconds(3)
    /// Maximum pages restored from disk in a step while answers run: copying 512 positions takes
    /// about as long as a pass, so the answers keep half of their speed, as with a prompt.
    private static let restoredPagesMax = 16

    let model: LoadedModel
    private let session: PhiSession
    private let threads: ComputeMember
    let contextLength: Int
    let ropeRule: RopeRule
    private let queue: CommandQueue
    private let now: () -> ContinuousClock.Instant
    private let sink: ([TokenEvent]) -> Void
    private let speculates: Bool
    private let draftsMax: Int
    private var scheduler: Scheduler
    private var policy = DraftPolicy()
    private var memory: SequenceMemory
    /// Requests that have not started.
    private var waiting: [UInt64: WaitingRequest] = [:]
    /// Waiting requests that are not queued yet, since the store is looking up their prompts.
    private var asking: Set<UInt64> = []
    /// Requests with a slot whose pages are restored before they start, in order of arrival.
    private var restoring: [(id: UInt64, pages: PageRestoration)] = []
    private var running: [UInt64: RunningAnswer] = [:]
    /// The events of this step.
    private var events: [TokenEvent] = []

    init(
        model: LoadedModel,
        configuration: EngineConfiguration,
        threads: ComputeMember? = nil,
        pages: PageStore? = nil,
        queue: CommandQueue,
        now: @escaping () -> ContinuousClock.Instant,
        sink: @escaping ([TokenEvent]) -> Void
    ) {
        self.model = model
        session = model.model.makeSession(
            threadCount: 1,
            tokenCountMax: configuration.prefillChunk + configuration.slots
        )
        self.threads = threads ?? ComputeThreads(count: configuration.threads).join()
        contextLength = model.contextLength(limit: configuration.contextLimit)
        ropeRule = configuration.ropeRule
        speculates = configuration.speculates
        draftsMax = configuration.prefillChunk
        self.queue = queue
        self.now = now
        self.sink = sink
        memory = SequenceMemory(
            model.model,
            mebibytes: configuration.keyValueMebibytes,
            contextLength: contextLength,
            writer: pages.flatMap { pages in
                PageFormat(model).map { format in
                    PageWriter(pages, format) { queue.post(.stored(wanted: $0)) }
                }
            }
        )
        scheduler = Scheduler(
            slots: configuration.slots,
            prefillChunk: configuration.prefillChunk,
            pageCount: memory.pageCount
        )
    }

    /// Runs until the queue is closed and all requests and page writes are finished.
    func run() {
        while step() {}
        threads.rest()
        let end = now() + Self.writingMax
        while !memory.isKept {
            if now() >= end { memory.stopWriting() }
            for command in queue.takeLate() {
                switch command {
                case .stored(let wanted): memory.continueWriting(wanted)
                case .forget(let scopes): memory.forget(scopes)
                // All requests are finished.
                case .submit, .cancel, .found: break
                }
            }
        }
    }

    /// Runs one step; waits for a command if there is nothing to do.
    /// - Returns: false if the queue is closed and everything is finished.
    func step() -> Bool {
        if scheduler.isIdle { threads.rest() }
        let deadline = asking.compactMap { waiting[$0]?.request.deadline }.min()
        let batch = queue.take(waiting: scheduler.isIdle, atMost: deadline.map { $0 - now() })
        for command in batch.commands { receive(command) }
        // Expired requests end without waiting for the store.
        let time = now()
        for id in asking where waiting[id]?.isLate(at: time) == true { enqueue(id) }
        if batch.isClosed {
            for id in asking { enqueue(id) }
            for ending in scheduler.stopAll() { end(ending) }
        } else {
            let plan = scheduler.admission(at: now())
            for ending in plan.endings { end(ending) }
            for id in plan.admitted { admit(id) }
            restore()
            // Starts and ends are published before the computation of other sequences.
            publish()
            compute(scheduler.work())
        }
        publish()
        return !batch.isClosed
    }

    // MARK: - The parts of a step

    private func receive(_ command: Command) {
        switch command {
        case .submit(let request, let submittedAt):
            let id = request.id
            waiting[id] = WaitingRequest(request: request, submittedAt: submittedAt)
            asking.insert(id)
            let isAsked = memory.find(
                request.prompt + request.answerPrefix,
                in: scope(of: request)
            ) { [queue] stored in queue.post(.found(id, stored)) }
            if !isAsked { enqueue(id) }
        case .cancel(let id):
            enqueue(id)
            scheduler.cancel(id)
        case .forget(let scopes):
            forget(scopes)
        case .found(let id, let stored):
            if asking.contains(id) { waiting[id]?.stored = stored }
            enqueue(id)
        case .stored(let wanted):
            memory.continueWriting(wanted)
        }
    }

    /// Queues a request in the scheduler; does nothing if it is already queued.
    private func enqueue(_ id: UInt64) {
        guard asking.remove(id) != nil, let request = waiting[id]?.request else { return }
        scheduler.enqueue(
            id,
            promptCount: request.prompt.count + request.answerPrefix.count,
            pageCount: SequenceMemory.pageCount(tokensMax: tokensMax(of: request)),
            deadline: request.deadline
        )
    }

    /// Removes the pages of these scopes, also those of running requests.
    private func forget(_ scopes: [String]) {
        memory.forget(scopes)
        queue.hold(memory.scopes)
        func isForgotten(_ request: GenerationRequest) -> Bool {
            request.cacheScope.map { scopes.contains($0) } ?? false
        }
        for (id, entry) in waiting where isForgotten(entry.request) {
            waiting[id]?.request.cacheScope = nil
        }
        for (id, answer) in running where isForgotten(answer.request) {
            running[id]?.isForgotten = true
        }
    }

    /// Starts an answer, or the restoring of its pages from disk.
    private func admit(_ id: UInt64) {
        guard let entry = waiting[id] else { return }
        if let stored = entry.stored, let scope = scope(of: entry.request),
            let pages = memory.restoration(
                of: stored,
                for: entry.request.prompt + entry.request.answerPrefix,
                in: scope
            )
        {
            scheduler.hold(id)
            restoring.append((id, pages))
        } else {
            begin(id)
        }
    }

    /// Restores pages from disk for requests with a slot, and starts those whose pages are
    /// complete. Restores all at once if no answer is running.
    private func restore() {
        var left = scheduler.hasGrowing ? Self.restoredPagesMax : .max
        while left > 0, let id = restoring.first?.id {
            // A request whose scope was removed meanwhile starts without cached pages.
            if let scope = waiting[id].flatMap({ self.scope(of: $0.request) }) {
                // If there is no memory, starting the answer fails and reports it.
                let count = try? memory.restore(with: &restoring[0].pages, in: scope, limit: left)
                left -= count ?? 0
                guard count == nil || restoring[0].pages.isComplete else { return }
            }
            restoring.removeFirst()
            begin(id)
        }
    }

    private func begin(_ id: UInt64) {
        guard let entry = waiting.removeValue(forKey: id) else { return }
        let request = entry.request
        let tokensMax = tokensMax(of: request)
        do throws(EngineError) {
            let cache = try memory.makeCache(
                for: request.prompt + request.answerPrefix,
                tokensMax: tokensMax,
                ropeFactors: ropeFactors(of: request),
                scope: scope(of: request)
            )
            scheduler.skip(id, cache.count)
            queue.wasAdmitted(id)
            let answer = RunningAnswer(
                request,
                tokensMax: tokensMax,
                model: model,
                cache: cache,
                form: try model.form(of: request, tokensMax: tokensMax),
                stopwatch: Stopwatch(submittedAt: entry.submittedAt, admittedAt: now())
            )
            running[id] = answer
            events.append(
                .started(
                    id: id,
                    promptTokens: answer.promptCount,
                    cachedTokens: answer.cachedPromptCount
                )
            )
            if let reason = answer.finishOfPrefix {
                scheduler.release(id)
                endRunning(id, reason)
            }
        } catch {
            scheduler.release(id)
            queue.wasFinished(id, admitted: false)
            events.append(.failed(id: id, error: error))
        }
    }

    private func compute(_ planned: [StepPlan.Work]) {
        // A planned sequence may have failed to start.
        let work = grouped(planned.filter { running[$0.id] != nil })
        // All requests with a slot may be waiting for their pages from disk.
        guard !work.isEmpty else { return threads.rest() }
        // A pass that reads prompts is long anyway.
        let isDecoding = work.allSatisfy(\.isDecode)
        if isDecoding, speculates { addDrafts(to: work) }
        let steps = work.compactMap { running[$0.id]?.step(for: $0) }
        memory.makeRoom(for: steps)
        do throws(ForwardError) {
            let (logits, duration) = try threads.compute(steps, in: session)
            scheduler.computed(work, in: duration)
            if isDecoding {
                let rowCount = steps.reduce(0) { $0 + $1.tokens.count }
                policy.cost.note(rows: rowCount, took: duration)
            }
            for (index, part) in work.enumerated() { settle(part, at: index, of: logits) }
        } catch {
            for part in work { fail(part.id, EngineError(error)) }
        }
    }

    /// Puts the work of each adapter together, since a pass reads its matrices once for adjacent rows.
    private func grouped(_ work: [StepPlan.Work]) -> [StepPlan.Work] {
        let keys = work.map { running[$0.id]?.request.adapter?.identity.hash ?? "" }
        return work.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }.map { work[$0] }
    }

    /// Adds draft tokens to the pass where they pay off.
    private func addDrafts(to work: [StepPlan.Work]) {
        let candidates = work.map { part in
            running[part.id]?.updateGuess() ?? DraftPolicy.Candidate(count: 0, acceptance: 0)
        }
        let counts = policy.draftCounts(for: candidates, draftsMax: draftsMax)
        for (part, count) in zip(work, counts) { running[part.id]?.draft(count) }
    }

    private func settle(_ part: StepPlan.Work, at index: Int, of logits: PassLogits) {
        if case .prefill(let id, let range, _) = part { sharePublished(of: id, read: range) }
        if part.wantsLogits {
            var row = 0
            while grow(part.id, from: logits.row(row, of: index)) { row += 1 }
        } else if case .prefill(let id, let range, _) = part, let answer = running[id] {
            events.append(.progress(id: id, done: range.upperBound, total: answer.givenCount))
        }
    }

    /// Shares the pages of a published prompt as soon as the last of them is full: an answer may
    /// take minutes, and other requests would compute the same prompt.
    private func sharePublished(of id: UInt64, read range: Range<Int>) {
        guard let answer = running[id], let scope = scope(of: answer.request) else { return }
        let count = scope.publishedPages * KeyValuePool.pagePositions
        guard range.contains(count - 1) else { return }
        memory.sharePublished(answer.cache, of: answer.tokens, in: scope)
    }

    /// - Returns: whether the pass has also computed the next token.
    private func grow(_ id: UInt64, from logits: UnsafeMutableBufferPointer<Float>) -> Bool {
        guard let growth = running[id]?.grow(from: logits, at: now()) else {
            fail(id, .modelBroken(reason: "it computed no finite number"))
            return false
        }
        show(growth.text, of: id)
        if let reason = growth.finish {
            scheduler.release(id)
            finishRunning(id, reason)
        }
        return growth.continues
    }

    /// Ends a request that the scheduler has removed: cancelled or past its deadline.
    private func end(_ ending: StepPlan.Ending) {
        restoring.removeAll { $0.id == ending.id }
        if running[ending.id] != nil {
            endRunning(ending.id, ending.reason)
        } else if let entry = waiting.removeValue(forKey: ending.id) {
            let completion = Completion(
                finish: ending.reason,
                promptTokens: entry.request.prompt.count
            )
            events.append(.finished(id: ending.id, completion: completion))
            queue.wasFinished(ending.id, admitted: false)
        }
    }

    private func endRunning(_ id: UInt64, _ reason: FinishReason) {
        if let text = running[id]?.heldBackText() { show(text, of: id) }
        finishRunning(id, reason)
    }

    private func finishRunning(_ id: UInt64, _ reason: FinishReason) {
        guard let answer = running.removeValue(forKey: id) else { return }
        var completion = answer.completion(reason)
        completion.receipt = answer.receipt(reason, of: model, ropeRule: ropeRule)
        events.append(.finished(id: id, completion: completion))
        queue.wasFinished(id, admitted: true)
        if let scope = scope(of: answer.request), !answer.isForgotten {
            memory.keep(answer.cache, of: answer.tokens, in: scope)
            queue.hold(memory.scopes)
        }
    }

    private func fail(_ id: UInt64, _ error: EngineError) {
        scheduler.release(id)
        running[id] = nil
        queue.wasFinished(id, admitted: true)
        events.append(.failed(id: id, error: error))
    }

    private func show(_ text: String, of id: UInt64) {
        guard !text.isEmpty, let new = running[id]?.takeUnreported() else { return }
        events.append(.text(id: id, text: text, tokens: new.tokens, sampled: new.sampled))
    }

    private func publish() {
        guard !events.isEmpty else { return }
        sink(events)
        events.removeAll(keepingCapacity: true)
    }
}
