// The threads on which the engines of a process compute. With threads of its own for each engine,
// two that answer at the same time would run twice as many threads as there are cores, and each
// would wait for parts of a pass whose thread is not scheduled.

import PhiModel

/// Compute threads that engines share: one engine at a time computes a pass with all of them, and
/// they take turns by the time that each has used (`TurnOrder`).
///
/// An engine's own thread is one of the threads of its pass, so `count - 1` threads are shared.
public final class ComputeThreads: Sendable {
    private struct State: Sendable {
        var order = TurnOrder()
        /// When the present turn began.
        var begun: ContinuousClock.Instant
        /// The number of threads of the next pass.
        var count: Int
    }

    private let state: Monitor<State>
    private let team: SharedTeam
    fileprivate let now: @Sendable () -> ContinuousClock.Instant

    /// Creates threads; they sleep while no engine computes.
    /// - Parameter count: the number of threads of a pass, at least 1.
    public convenience init(count: Int) {
        self.init(count: count, now: { ContinuousClock.now })
    }

    /// Creates threads with a clock, for tests.
    package init(count: Int, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        state = Monitor(State(begun: now(), count: max(count, 1)))
        team = SharedTeam()
        self.now = now
    }

    /// The number of threads of the next pass.
    public var count: Int { state.read { $0.count } }

    /// Changes the number of threads, from the next pass on. Answers go on as they were: no result
    /// depends on the number of threads.
    public func resize(to count: Int) {
        state.update { $0.count = max(count, 1) }
    }

    /// A member without a turn.
    func join() -> ComputeMember { ComputeMember(of: self) }

    // MARK: - For members

    fileprivate func add() -> Int {
        state.update { $0.order.add() }
    }

    fileprivate func remove(_ member: Int) {
        change(member) { order, _ in order.remove(member) }
    }

    fileprivate func total(of member: Int) -> Duration {
        state.read { $0.order.total(of: member) }
    }

    /// Waits for the turn of a member, and begins it.
    /// - Returns: the threads, until the turn ends.
    fileprivate func begin(_ member: Int) -> ThreadTeam {
        state.update { state in
            if state.order.holder == nil { state.begun = now() }
            state.order.request(member)
        }
        let count = state.update(when: { $0.order.holder == member }) { $0.count }
        return team.threads(count)
    }

    fileprivate func end(_ member: Int) {
        change(member) { $0.end(member, after: $1) }
    }

    fileprivate func rest(_ member: Int) {
        change(member) { $0.rest(member, after: $1) }
    }

    private func change(_ member: Int, _ body: (inout TurnOrder, Duration) -> Void) {
        state.update { state in
            let hadTurn = state.order.holder == member
            let time = now()
            body(&state.order, time - state.begun)
            if hadTurn { state.begun = time }
        }
    }
}

/// An engine's part in compute threads. Only the engine's thread computes.
final class ComputeMember: Sendable {
    private let threads: ComputeThreads
    private let number: Int

    fileprivate init(of threads: ComputeThreads) {
        self.threads = threads
        number = threads.add()
    }

    deinit {
        threads.remove(number)
    }

    /// Waits for a turn, and computes a pass. Afterwards another turn is requested: `rest` says that
    /// there is nothing more to compute.
    /// - Parameters:
    ///   - batch: the steps.
    ///   - session: computes them; its own threads are not used.
    /// - Returns: the logits, and the duration without the wait: the scheduler wants the costs of
    ///   passes.
    /// - Throws: `ForwardError` of the session.
    func compute(
        _ batch: [SequenceStep],
        in session: PhiSession
    ) throws(ForwardError) -> (logits: PassLogits, duration: Duration) {
        let team = threads.begin(number)
        defer { threads.end(number) }
        let start = threads.now()
        let logits = try session.compute(batch, on: team)
        return (logits, threads.now() - start)
    }

    /// Leaves the threads to the others.
    func rest() { threads.rest(number) }

    /// The time of all turns so far.
    var total: Duration { threads.total(of: number) }
}

/// The team of the present pass.
///
/// Safety: only the member that has the turn calls `threads`, and uses the team until it ends the
/// turn; the lock of `ComputeThreads.state`, taken at the end and at the beginning of each turn,
/// orders these uses.
private final class SharedTeam: @unchecked Sendable {
    private var team: ThreadTeam?
    private var count = 0

    /// The team with this number of threads, or with one if the system gives no more.
    func threads(_ count: Int) -> ThreadTeam {
        if let team, count == self.count { return team }
        // The old threads end first.
        team = nil
        let new = ThreadTeam(threadCount: count)
        (team, self.count) = (new, count)
        return new
    }
}
