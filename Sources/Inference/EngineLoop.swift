// The engine's work, one step at a time, on whichever single thread calls `step`.
//
// Takes commands, asks the scheduler for a plan, lets the model compute it, samples, and hands what
// came of it to the sink as one batch; starts and ends go out before the computing. It owns the
// running answers; nobody else sees them.

import Checkpoints
import PhiModel

/// What turns requests into events. Not Sendable: it lives on one thread.
final class EngineLoop {
    private struct WaitingRequest {
        var request: GenerationRequest
        let submittedAt: ContinuousClock.Instant
        /// What the disk has of its prompt.
        var kept: KeptPages?

        func isLate(at now: ContinuousClock.Instant) -> Bool {
            request.deadline.map { $0 <= now } ?? false
        }
    }

    /// How long the disk may take at the end for what was read last.
    private static let keepingMax: Duration = .seconds(3)
    /// The pages of a step that come back from the disk while answers grow: copying 512 positions takes
    /// about as long as a pass, so that answers keep half of their pace, as beside a prompt.
    private static let restoredPagesMax = 16

    private let model: LoadedModel
    private let session: PhiSession
    private let contextLength: Int
    private let ropeRule: RopeRule
    private let queue: CommandQueue
    private let now: () -> ContinuousClock.Instant
    private let sink: ([TokenEvent]) -> Void
    private let speculates: Bool
    private let draftsMax: Int
    private var scheduler: Scheduler
    private var policy = DraftPolicy()
    private var memory: SequenceMemory
    /// Requests that have not begun.
    private var waiting: [UInt64: WaitingRequest] = [:]
    /// Those of them that have no place in line yet: the disk looks for what it has of their prompts.
    private var asking: Set<UInt64> = []
    /// Those that have a slot, and come back from the disk before they begin; in order of arrival.
    private var restoring: [(id: UInt64, pages: PageRestoration)] = []
    private var running: [UInt64: RunningAnswer] = [:]
    /// The events of this step.
    private var events: [TokenEvent] = []

    init(
        model: LoadedModel,
        configuration: EngineConfiguration,
        pages: PageStore? = nil,
        queue: CommandQueue,
        now: @escaping () -> ContinuousClock.Instant,
        sink: @escaping ([TokenEvent]) -> Void
    ) {
        self.model = model
        session = model.model.makeSession(
            threadCount: configuration.threads,
            tokenCountMax: configuration.prefillChunk + configuration.slots
        )
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
            keeper: pages.flatMap { pages in
                PageFormat(model).map { format in
                    PageKeeper(pages, format) { queue.post(.kept(wanted: $0)) }
                }
            }
        )
        scheduler = Scheduler(
            slots: configuration.slots,
            prefillChunk: configuration.prefillChunk,
            pageCount: memory.pageCount
        )
    }

    /// Runs until the queue is closed and all requests are finished, and the disk has what it gets.
    func run() {
        while step() {}
        let end = now() + Self.keepingMax
        while !memory.isKept {
            if now() >= end { memory.endKeeping() }
            for command in queue.takeLate() {
                switch command {
                case .kept(let wanted): memory.goOnKeeping(wanted)
                case .forget(let scopes): memory.forget(scopes)
                // All requests are finished.
                case .submit, .cancel, .found: break
                }
            }
        }
    }

    /// One step; waits for a command where there is nothing to do.
    /// - Returns: false when the queue is closed and everything is finished.
    func step() -> Bool {
        let deadline = asking.compactMap { waiting[$0]?.request.deadline }.min()
        let batch = queue.take(waiting: scheduler.isIdle, atMost: deadline.map { $0 - now() })
        for command in batch.commands { receive(command) }
        // Whoever is late ends, and needs nothing of the disk.
        let time = now()
        for id in asking where waiting[id]?.isLate(at: time) == true { putInLine(id) }
        if batch.isClosed {
            for id in asking { putInLine(id) }
            for ending in scheduler.stopAll() { end(ending) }
        } else {
            let plan = scheduler.admission(at: now())
            for ending in plan.endings { end(ending) }
            for id in plan.admitted { admit(id) }
            restore()
            // Nobody waits for their neighbours' tokens to hear of their own start or end.
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
            ) { [queue] kept in queue.post(.found(id, kept)) }
            if !isAsked { putInLine(id) }
        case .cancel(let id):
            putInLine(id)
            scheduler.cancel(id)
        case .forget(let scopes):
            forget(scopes)
        case .found(let id, let kept):
            if asking.contains(id) { waiting[id]?.kept = kept }
            putInLine(id)
        case .kept(let wanted):
            memory.goOnKeeping(wanted)
        }
    }

    /// Gives a request its place in line; does nothing for one that has it.
    private func putInLine(_ id: UInt64) {
        guard asking.remove(id) != nil, let request = waiting[id]?.request else { return }
        scheduler.enqueue(
            id,
            promptCount: request.prompt.count + request.answerPrefix.count,
            pageCount: SequenceMemory.pageCount(tokensMax: tokensMax(of: request)),
            deadline: request.deadline
        )
    }

    /// Keeps nothing of these scopes, nor of what is being answered there: that was asked before.
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

    /// How the keys of a request's sequence are rotated. One set for all of its tokens, whatever their
    /// count will be, because keys that were rotated by different factors must never meet.
    private func ropeFactors(of request: GenerationRequest) -> RopeFactors {
        model.model.ropeFactors(
            forLength: tokensMax(of: request),
            rule: request.ropeRule ?? ropeRule
        )
    }

    /// Who may use what a request reads; nil for nobody.
    private func scope(of request: GenerationRequest) -> PrefixCache.Scope? {
        request.cacheScope.map { name in
            PrefixCache.Scope(
                name: name,
                ropeFactors: ropeFactors(of: request),
                publishedCount: request.publishedCount
            )
        }
    }

    /// The most tokens that prompt and answer may have together. Written without a sum, which could
    /// overflow.
    private func tokensMax(of request: GenerationRequest) -> Int {
        request.maxNewTokens < contextLength - request.prompt.count
            ? request.prompt.count + request.maxNewTokens : contextLength
    }

    /// Begins an answer, or what has to come back from the disk before.
    private func admit(_ id: UInt64) {
        guard let entry = waiting[id] else { return }
        if let kept = entry.kept, let scope = scope(of: entry.request),
            let pages = memory.restoration(
                of: kept,
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

    /// Copies what the disk had of those that have a slot, and begins whose pages have come: all at
    /// once where no answer grows that would stand still meanwhile.
    private func restore() {
        var left = scheduler.hasGrowing ? Self.restoredPagesMax : .max
        while left > 0, let id = restoring.first?.id {
            // One that was forgotten meanwhile has no scope any more, and begins with nothing.
            if let scope = waiting[id].flatMap({ self.scope(of: $0.request) }) {
                // Where there is no memory, to begin fails, and says so.
                let count = try? memory.goOn(with: &restoring[0].pages, in: scope, limit: left)
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
        do throws(ForwardError) {
            // Room for all tokens: a cache is made once.
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
            events.append(.failed(id: id, error: EngineError(error)))
        }
    }

    private func compute(_ planned: [StepPlan.Work]) {
        // A sequence that could not be admitted is planned for, but not here any more.
        let work = planned.filter { running[$0.id] != nil }
        // Those with a slot may all be on their way from the disk.
        guard !work.isEmpty else { return }
        // A pass that reads prompts is long already.
        let isDecoding = work.allSatisfy(\.isDecode)
        if isDecoding, speculates { addDrafts(to: work) }
        let steps = work.compactMap { running[$0.id]?.step(for: $0) }
        memory.makeRoom(for: steps)
        let start = now()
        do throws(ForwardError) {
            let logits = try session.compute(steps)
            let duration = now() - start
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

    /// Lets answers guess how they go on, and has computed of that what pays.
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

    /// Lets everybody have a published prompt as soon as the last of its pages is full: an answer
    /// may take minutes, and who comes meanwhile would read the prompt, too.
    private func sharePublished(of id: UInt64, read range: Range<Int>) {
        guard let answer = running[id], let scope = scope(of: answer.request) else { return }
        let count = scope.publishedPages * KeyValuePool.pagePositions
        guard range.contains(count - 1) else { return }
        memory.sharePublished(answer.cache, of: answer.tokens, in: scope)
    }

    /// - Returns: whether the pass has computed what follows, too.
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
        return growth.goesOn
    }

    /// Ends a request that the scheduler has let go: cancelled, or past its deadline.
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
        guard !text.isEmpty, let tokens = running[id]?.takeUntold() else { return }
        events.append(.text(id: id, text: text, tokens: tokens))
    }

    private func publish() {
        guard !events.isEmpty else { return }
        sink(events)
        events.removeAll(keepingCapacity: true)
    }
}
