// The scheduler: plans the next step. A value without tensors, clock or thread: requests and
// instants in, a plan out; its tests are tables.
//
// Continuous batching: sequences join and leave between steps. Running answers get one token each
// in every step; prompts share a limited number of tokens a step. While answers run that number is
// what they can tolerate, and many steps read no prompt, so that those that do are worth it
// (`PromptCredit`): a long prompt slows down the others but never stops them. A quarter of a step's
// prompt tokens is for the prompt that arrived first, and the rest for those with the fewest tokens
// left: a short question does not wait for a long one, and a long one makes progress however many
// short ones arrive.
//
// No sequence with a slot starves: an answer gets a token in every step, at least one step of six
// reads prompts while there are any, each of these advances the prompt that arrived first, and
// later ones become the first.

/// The plan of a step: end, admit, compute, in this order.
package struct StepPlan: Hashable {
    /// A request that ends, and why; `wasRunning` says whether it had a slot.
    package struct Ending: Hashable {
        package var id: UInt64
        package var reason: FinishReason
        package var wasRunning: Bool

        package init(id: UInt64, reason: FinishReason, wasRunning: Bool) {
            self.id = id
            self.reason = reason
            self.wasRunning = wasRunning
        }
    }

    /// The tokens that a sequence computes in this step.
    package enum Work: Hashable {
        /// Positions `range` of the prompt. Logits are requested if they complete it.
        case prefill(id: UInt64, range: Range<Int>, completesPrompt: Bool)
        /// The token sampled last.
        case decode(id: UInt64)

        /// The id of the sequence.
        package var id: UInt64 {
            switch self {
            case .prefill(let id, _, _), .decode(let id): id
            }
        }

        /// Whether it is a decode step.
        package var isDecode: Bool {
            if case .decode = self { true } else { false }
        }

        /// The number of prompt tokens read.
        package var promptCount: Int {
            if case .prefill(_, let range, _) = self { range.count } else { 0 }
        }

        /// Whether a token is sampled afterwards.
        package var wantsLogits: Bool {
            switch self {
            case .prefill(_, _, let completesPrompt): completesPrompt
            case .decode: true
            }
        }
    }

    package var endings: [Ending] = []
    package var admitted: [UInt64] = []
    package var work: [Work] = []
}

/// Requests in order of arrival, and slots.
package struct Scheduler {
    private struct Entry {
        var id: UInt64
        var promptCount: Int
        var pageCount: Int
        var deadline: ContinuousClock.Instant?
        var isCancelled = false
        /// Prompt tokens that earlier plans have computed, or that are cached.
        var read = 0
        /// Whether it has a slot but must not be computed yet.
        var isHeld = false

        /// The remaining prompt tokens; 0 while the answer is decoded.
        var unread: Int { promptCount - read }
    }

    private let slots: Int
    private let prefillChunk: Int
    private let pageCount: Int
    private var waiting: [Entry] = []
    private var running: [Entry] = []
    private var credit = PromptCredit()

    /// - Parameters:
    ///   - slots: the number of concurrent sequences.
    ///   - prefillChunk: maximum prompt tokens of a step, over all sequences.
    ///   - pageCount: the memory of running sequences, in pages.
    package init(slots: Int, prefillChunk: Int, pageCount: Int = .max) {
        precondition(slots > 0 && prefillChunk > 0, "a scheduler needs slots and a prefill chunk")
        self.slots = slots
        self.prefillChunk = prefillChunk
        self.pageCount = pageCount
    }

    /// Whether there is nothing to plan.
    package var isIdle: Bool { waiting.isEmpty && running.isEmpty }

    /// Queues a request.
    /// - Parameters:
    ///   - id: the id in plans.
    ///   - promptCount: the number of tokens that are read before one is sampled.
    ///   - pageCount: the maximum number of pages. They are reserved while it runs, so that a
    ///     running sequence never waits for memory.
    ///   - deadline: its deadline.
    package mutating func enqueue(
        _ id: UInt64,
        promptCount: Int,
        pageCount: Int = 0,
        deadline: ContinuousClock.Instant? = nil
    ) {
        waiting.append(
            Entry(id: id, promptCount: promptCount, pageCount: pageCount, deadline: deadline)
        )
    }

    /// Whether an answer is being decoded.
    package var hasGrowing: Bool { running.contains { $0.unread == 0 } }

    /// Computes nothing of an admitted sequence until `skip` is called.
    package mutating func hold(_ id: UInt64) {
        guard let index = running.firstIndex(where: { $0.id == id }) else { return }
        running[index].isHeld = true
    }

    /// Marks the first `count` tokens of an admitted sequence as cached; the last one of its prompt
    /// must be computed.
    package mutating func skip(_ id: UInt64, _ count: Int) {
        guard let index = running.firstIndex(where: { $0.id == id }) else { return }
        running[index].isHeld = false
        running[index].read = min(count, running[index].promptCount - 1)
    }

    /// Ends a request in the next plan; does nothing for an unknown one.
    package mutating func cancel(_ id: UInt64) {
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            waiting[index].isCancelled = true
        } else if let index = running.firstIndex(where: { $0.id == id }) {
            running[index].isCancelled = true
        }
    }

    /// Frees the slot of a sequence whose answer is complete.
    package mutating func release(_ id: UInt64) {
        running.removeAll { $0.id == id }
    }

    /// Ends everything.
    package mutating func stopAll() -> [StepPlan.Ending] {
        for index in waiting.indices { waiting[index].isCancelled = true }
        for index in running.indices { running[index].isCancelled = true }
        return endings(at: nil)
    }

    /// Plans the next step, and assumes that it is executed.
    package mutating func plan(at now: ContinuousClock.Instant) -> StepPlan {
        var plan = admission(at: now)
        plan.work = work()
        return plan
    }

    /// Plans endings and admissions, strictly in order of arrival, so that a request that needs
    /// much memory is not overtaken forever. One that needs more than there is runs alone.
    package mutating func admission(at now: ContinuousClock.Instant) -> StepPlan {
        var plan = StepPlan(endings: endings(at: now))
        while running.count < slots, let next = waiting.first {
            let used = running.reduce(0) { $0 + $1.pageCount }
            guard running.isEmpty || next.pageCount <= pageCount - used else { break }
            plan.admitted.append(next.id)
            running.append(waiting.removeFirst())
        }
        return plan
    }

    /// Plans the computation of this step, and assumes that it is executed.
    package mutating func work() -> [StepPlan.Work] {
        let shares = promptShares()
        var work: [StepPlan.Work] = []
        for index in running.indices where !running[index].isHeld {
            let entry = running[index]
            guard entry.unread > 0 else {
                work.append(.decode(id: entry.id))
                continue
            }
            guard shares[index] > 0 else { continue }
            let end = entry.read + shares[index]
            work.append(
                .prefill(
                    id: entry.id,
                    range: entry.read..<end,
                    completesPrompt: end == entry.promptCount
                )
            )
            running[index].read = end
        }
        return work
    }

    /// Records the time of a step: beside running answers prompts get as much as leaves the answers
    /// half of their speed, or a third of it if there are short prompts.
    package mutating func computed(_ work: [StepPlan.Work], in duration: Duration) {
        guard work.contains(where: \.isDecode) else { return }
        credit.note(promptCount: work.reduce(0) { $0 + $1.promptCount }, took: duration)
    }

    /// The prompt tokens of this step for each sequence.
    private mutating func promptShares() -> [Int] {
        var shares = Array(repeating: 0, count: running.count)
        let budget = promptBudget()
        guard budget > 0,
            let first = running.firstIndex(where: { $0.unread > 0 && !$0.isHeld })
        else { return shares }
        let quarter = (budget + Self.firstShare - 1) / Self.firstShare
        shares[first] = min(quarter, running[first].unread)
        var rest = budget - shares[first]
        let shortestFirst = running.indices.filter { !running[$0].isHeld }.sorted {
            (running[$0].unread, $0) < (running[$1].unread, $1)
        }
        for index in shortestFirst where rest > 0 {
            let more = min(running[index].unread - shares[index], rest)
            shares[index] += more
            rest -= more
        }
        return shares
    }

    /// The prompt that arrived first gets this fraction of the tokens (1/n).
    private static let firstShare = 4

    /// The prompt tokens of this step over all sequences; limited by the credit while answers run.
    private mutating func promptBudget() -> Int {
        let growingCount = running.count { $0.unread == 0 }
        let unreadCount = running.reduce(0) { $0 + ($1.isHeld ? 0 : $1.unread) }
        let wanted = min(unreadCount, prefillChunk)
        guard growingCount > 0 else {
            credit.fill()
            return wanted
        }
        let hasShort = running.contains {
            !$0.isHeld && (1...PromptCredit.shortMax).contains($0.unread)
        }
        return credit.pay(upTo: wanted, beside: growingCount, hasShort: hasShort)
    }

    /// Removes cancelled and expired requests, running ones first.
    private mutating func endings(at now: ContinuousClock.Instant?) -> [StepPlan.Ending] {
        func reason(_ entry: Entry) -> FinishReason? {
            if entry.isCancelled { return .stopped }
            if let now, let deadline = entry.deadline, deadline <= now { return .deadline }
            return nil
        }
        func ends(in entries: [Entry], running: Bool) -> [StepPlan.Ending] {
            entries.compactMap { entry in
                reason(entry).map { .init(id: entry.id, reason: $0, wasRunning: running) }
            }
        }
        let all = ends(in: running, running: true) + ends(in: waiting, running: false)
        if !all.isEmpty {
            running.removeAll { reason($0) != nil }
            waiting.removeAll { reason($0) != nil }
        }
        return all
    }
}
