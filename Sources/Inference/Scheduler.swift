// Who computes what in the next step. A value without tensors, clock or thread: requests and
// instants in, a plan out; its tests are tables.
//
// Continuous batching: sequences join and leave between steps. Answers that grow get one token each
// in every step; prompts share a bounded number of tokens a step. While answers grow that number is
// what they can bear, and many steps read none, so that those that do are worth it (`PromptCredit`):
// a long prompt slows its neighbours and never stops them. Of a step's number the prompt that came first
// has a quarter, and the rest goes to those that have the least left: a short question does not wait
// for a long one, and a long one gets on however many short ones come.
//
// No sequence with a slot starves: an answer grows in every step, at least one step of six reads
// prompts while any are to be read, each of these gets the prompt that came first on, and who came
// later comes first in the end.

/// What one step does, in this order: end, admit, compute.
package struct StepPlan: Hashable {
    /// Requests that leave, and why. Each was waiting or running, as `wasRunning` says.
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

    /// Tokens that one sequence computes in this step.
    package enum Work: Hashable {
        /// Positions `range` of the prompt. Logits are wanted where they complete it.
        case prefill(id: UInt64, range: Range<Int>, completesPrompt: Bool)
        /// The token that was sampled last.
        case decode(id: UInt64)

        /// The sequence that works.
        package var id: UInt64 {
            switch self {
            case .prefill(let id, _, _), .decode(let id): id
            }
        }

        /// Whether an answer grows by it.
        package var isDecode: Bool {
            if case .decode = self { true } else { false }
        }

        /// The prompt tokens that are read.
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
        /// Prompt tokens that earlier plans have computed, or that need not be.
        var read = 0
        /// Whether nothing of it is computed yet, though it has a slot.
        var isHeld = false

        /// Prompt tokens that are left; without any, the answer grows.
        var unread: Int { promptCount - read }
    }

    private let slots: Int
    private let prefillChunk: Int
    private let pageCount: Int
    private var waiting: [Entry] = []
    private var running: [Entry] = []
    private var credit = PromptCredit()

    /// - Parameters:
    ///   - slots: sequences that run at the same time.
    ///   - prefillChunk: prompt tokens of one step, over all sequences.
    ///   - pageCount: the memory that running sequences share, in pages.
    package init(slots: Int, prefillChunk: Int, pageCount: Int = .max) {
        precondition(slots > 0 && prefillChunk > 0, "a scheduler that never gets on")
        self.slots = slots
        self.prefillChunk = prefillChunk
        self.pageCount = pageCount
    }

    /// Whether there is nothing to plan.
    package var isIdle: Bool { waiting.isEmpty && running.isEmpty }

    /// Puts a request at the end of the line.
    /// - Parameters:
    ///   - id: what plans call it.
    ///   - promptCount: the tokens that are read before one is sampled.
    ///   - pageCount: the most pages that it may take. They are set aside while it runs, so that no
    ///     sequence that has begun ever waits for memory.
    ///   - deadline: when it ends at the latest.
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

    /// Whether an answer grows.
    package var hasGrowing: Bool { running.contains { $0.unread == 0 } }

    /// Has nothing of an admitted sequence computed until `skip` is called.
    package mutating func hold(_ id: UInt64) {
        guard let index = running.firstIndex(where: { $0.id == id }) else { return }
        running[index].isHeld = true
    }

    /// Tells that the first `count` tokens of an admitted sequence need not be computed; the last
    /// one of its prompt has to be.
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

    /// Frees the slot of a sequence whose answer ended by itself.
    package mutating func release(_ id: UInt64) {
        running.removeAll { $0.id == id }
    }

    /// Ends everything.
    package mutating func stopAll() -> [StepPlan.Ending] {
        for index in waiting.indices { waiting[index].isCancelled = true }
        for index in running.indices { running[index].isCancelled = true }
        return endings(at: nil)
    }

    /// The next step. It is taken as done: the plan after it goes on from there.
    package mutating func plan(at now: ContinuousClock.Instant) -> StepPlan {
        var plan = admission(at: now)
        plan.work = work()
        return plan
    }

    /// Who leaves and who gets a slot; strictly in order of arrival, so that one that needs much
    /// memory is not overtaken for ever. One that needs more than there is runs alone.
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

    /// What the sequences with a slot compute in this step. It is taken as done.
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

    /// Tells how long it took to compute what was planned: beside growing answers prompts get what
    /// leaves these half of their pace, or a third of it where there are short ones.
    package mutating func computed(_ work: [StepPlan.Work], in duration: Duration) {
        guard work.contains(where: \.isDecode) else { return }
        credit.note(promptCount: work.reduce(0) { $0 + $1.promptCount }, took: duration)
    }

    /// The prompt tokens of this step, by sequences.
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

    /// The prompt that came first has one of so many parts of what is read.
    private static let firstShare = 4

    /// The prompt tokens of this step, over all sequences: what the credit pays, where answers grow.
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

    /// Removes the cancelled and the late, running ones first.
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
