// An epoll loop: one thread that waits for descriptors, timers and messages from other threads, and
// runs the Swift tasks that were spawned on it. It is not Sendable, so the compiler keeps
// everything that refers to it on its thread. docs/decisions/0003-event-loop-is-not-an-actor.md
// says why it is not an actor.

import CLinux
import Glibc
public import Instruments

/// An epoll loop on its own thread, level-triggered except for `Interest.edges`.
///
/// A turn: wait; call the handlers of ready descriptors; fire timers; run jobs and deliver
/// messages; run the end-of-turn hooks. Use all members on the loop's thread only; other threads
/// use `remote`.
public final class EventLoop {
    /// Maximum pieces of work (jobs, messages) in a turn; the rest waits for the next turn.
    static let workPerTurn = 4096

    /// Maximum bytes of one read.
    package static let receiveBufferBytes = 64 << 10

    /// Maximum bytes of a stream's output that are gathered before sending.
    package static let gatherBufferBytes = 16 << 10

    /// How many rounds of remaining work a stopping loop runs.
    private static let lastRounds = 8

    /// How long a stopped loop waits for its cancelled tasks.
    static let stopLimit = Duration.seconds(5)

    /// Submits work from other threads.
    public let remote: EventLoopRemote

    /// The time at the start of the turn.
    public var now: ContinuousClock.Instant { turnStart }

    /// Durations of turns, from waking on: the longest time that a ready descriptor waits.
    public private(set) var turnTimes = Histogram.ofSeconds

    /// Read and set as a whole (decision 30).
    @exclusivity(unchecked) private var turnStart: ContinuousClock.Instant
    package let executor: EpollExecutor
    let clock: any LoopClock
    /// The receive buffer of all streams of this loop. Handlers use up the bytes before the next
    /// receive, so an idle connection needs no buffer of its own.
    package let receiveBuffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: EventLoop.receiveBufferBytes,
        alignment: 16
    )
    /// Gathers the output of the stream that is being read until its handler returns.
    package let gatherBuffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: EventLoop.gatherBufferBytes,
        alignment: 16
    )
    let timers = TimerHeap()
    var tasks: [UInt64: Task<Void, Never>] = [:]
    var nextTaskID: UInt64 = 0
    var mailboxes: [UInt64: () -> Void] = [:]
    var nextMailboxID: UInt64 = 0
    /// Actions for cancelled waits, by wait id.
    var cancellations: [UInt64: () -> Void] = [:]
    var nextWaitID: UInt64 = 0
    var signals: SignalDispatcher?
    private var poller: Poller
    /// The end-of-turn hooks in order.
    private var turnEnds: [TurnEnd] = []
    /// Storage for reuse by the list above: thousands of streams may flush in a turn.
    private var spareTurnEnds: [TurnEnd] = []
    /// Called after the hooks.
    private var hooksEnds: [any TurnEndHandler] = []
    /// Objects of other modules of which a loop has one, by their types.
    private var companions: [ObjectIdentifier: AnyObject] = [:]
    /// The number of handlers that this part of the turn calls: those of ready descriptors, or the
    /// hooks of a round. Each may send something.
    package private(set) var handlerCount = 0
    var isStopping = false

    /// Creates the loop of the calling thread.
    init(executor: EpollExecutor, clock: any LoopClock) {
        poller = Poller(epoll: executor.epollDescriptor)
        self.executor = executor
        self.clock = clock
        remote = EventLoopRemote(executor: executor)
        turnStart = clock.now
        executor.adoptCurrentThread()
        clock.onJump { [executor] in executor.wake() }
    }

    deinit {
        receiveBuffer.deallocate()
        gatherBuffer.deallocate()
    }

    // MARK: Descriptors

    /// Calls `handler` whenever `descriptor` is ready for something in `interest`, until the
    /// registration is cancelled.
    ///
    /// The handler is retained for that time. Cancel the registration before closing the
    /// descriptor. A descriptor has one registration; a second one cancels the first.
    /// - Throws: `SystemError` if epoll does not support the descriptor (a file), or it is closed.
    package func register(
        _ descriptor: Int32,
        for interest: Interest,
        _ handler: any ReadinessHandler
    ) throws(SystemError) -> Registration {
        Registration(loop: self, key: try poller.add(descriptor, for: interest, handler))
    }

    /// Changes the interest of a registration; does nothing if it was cancelled.
    /// - Throws: `SystemError` if epoll refuses, for example because the descriptor is closed.
    package func update(_ key: RegistrationKey, _ interest: Interest) throws(SystemError) {
        try poller.update(key, interest)
    }

    /// Reports current readiness again, for an interest with `edges`.
    /// - Throws: `SystemError` if epoll refuses, for example because the descriptor is closed.
    package func rearm(_ key: RegistrationKey) throws(SystemError) { try poller.rearm(key) }

    /// Cancels a registration; does nothing if it was cancelled.
    ///
    /// If `isClosed`, the caller closes the descriptor next, which tells the kernel, too.
    package func cancel(_ key: RegistrationKey, isClosed: Bool = false) {
        poller.remove(key, isClosed: isClosed)
    }

    // MARK: Turns

    /// Runs `action` once when this turn's work is done, before the loop waits. Work that the
    /// action adds (jobs, hooks) also runs before the wait.
    public func atEndOfTurn(_ action: @escaping () -> Void) {
        turnEnds.append(.function(action))
    }

    /// Calls `handler` at the end of this turn, without allocating a closure.
    package func atEndOfTurn(call handler: any TurnEndHandler) {
        turnEnds.append(.handler(handler))
    }

    /// Calls `handler` after this round of end-of-turn hooks, with what they have added.
    package func afterHooks(call handler: any TurnEndHandler) { hooksEnds.append(handler) }

    /// The loop's object of the type `Companion`, made by the first call and kept until the loop
    /// ends.
    package func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
        let type = ObjectIdentifier(Companion.self)
        if let existing = companions[type] as? Companion { return existing }
        let made = make()
        companions[type] = made
        return made
    }

    /// Stops the loop: its tasks are cancelled and get some seconds to finish, then the thread
    /// ends.
    public func stop() {
        isStopping = true
        for task in tasks.values { task.cancel() }
    }

    /// Runs turns until stopped.
    /// - Throws: `SystemError` if epoll itself fails, which no input can cause.
    func run() throws(SystemError) {
        _ = try register(executor.wakeUpDescriptor, for: .readable, InboxReader(executor))
        while !isStopping { try turn() }
        let limit = ContinuousClock.now + Self.stopLimit
        while hasUrgentWork || !tasks.isEmpty, .now < limit {
            try turn(sleepingAtMost: limit - .now)
        }
    }

    /// Runs accepted work, notifies the handlers of registered descriptors, and releases everything
    /// that the loop refers to, which breaks reference cycles.
    func tearDown() {
        executor.closeInbox()
        runWork()
        for handler in poller.removeAll() { handler.loopEnded() }
        for _ in 0..<Self.lastRounds where hasUrgentWork { finishTurn() }
        timers.removeAll()
        mailboxes.removeAll()
        cancellations.removeAll()
        turnEnds.removeAll()
        hooksEnds.removeAll()
        companions.removeAll()
        signals = nil
        executor.leaveCurrentThread()
    }

    private var hasUrgentWork: Bool { executor.hasWork || hasHooks }

    private var hasHooks: Bool { !turnEnds.isEmpty || !hooksEnds.isEmpty }

    private func turn(sleepingAtMost limit: Duration? = nil) throws(SystemError) {
        try poller.wait(milliseconds: timeToSleep(atMost: limit))
        turnStart = clock.now
        handlerCount = poller.readyCount
        for index in 0..<poller.readyCount {
            guard let (handler, readiness) = poller.ready(at: index) else { continue }
            handler.descriptorReady(readiness)
        }
        let sequenceEnd = timers.sequenceEnd
        while let action = timers.popDue(at: now, before: sequenceEnd) { action() }
        runWork()
        finishTurn()
        turnTimes.record(clock.now - now)
    }

    private func finishTurn() {
        // The first round of hooks flushes the turn's output; a second one is for work that
        // flushing has added.
        for _ in 0..<2 where hasHooks {
            var batch = spareTurnEnds
            spareTurnEnds = []
            swap(&batch, &turnEnds)
            handlerCount = batch.count
            for end in batch {
                switch end {
                case .function(let function): function()
                case .handler(let handler): handler.turnEnded()
                }
            }
            batch.removeAll(keepingCapacity: true)
            spareTurnEnds = batch
            while let last = hooksEnds.popLast() { last.turnEnded() }
            runWork()
        }
    }

    private func runWork() {
        executor.runWork(limit: Self.workPerTurn) { work in
            switch work {
            case .job: preconditionFailure("the executor runs jobs itself")
            case .function(let function): function(self)
            case .messages(let mailbox): mailboxes[mailbox]?()
            case .mailboxClosed(let mailbox): mailboxes[mailbox] = nil
            case .waitCancelled(let wait): cancellations[wait]?()
            }
        }
    }

    /// The timeout for epoll_wait: 0 if work is queued, -1 if there is no timer.
    private func timeToSleep(atMost limit: Duration?) -> Int32 {
        if hasUrgentWork || (isStopping && limit == nil) { return 0 }
        var sleep = limit
        if let deadline = timers.earliest, let time = clock.timeToSleep(until: deadline) {
            sleep = min(time, sleep ?? time)
        }
        guard let sleep else { return -1 }
        guard sleep > .zero else { return 0 }
        // Rounded up, so that timers do not fire early and the loop does not spin until they are
        // due.
        let parts = sleep.components
        let milliseconds = (parts.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(clamping: min(parts.seconds, 1_000_000) * 1000 + milliseconds)
    }
}

/// Takes the work of other threads when they wake the loop.
private final class InboxReader: ReadinessHandler {
    private let executor: EpollExecutor

    init(_ executor: EpollExecutor) { self.executor = executor }

    func descriptorReady(_ readiness: Readiness) { executor.takeInbox() }
}
