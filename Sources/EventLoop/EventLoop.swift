// One thread that waits for descriptors, timers and letters from other threads, and runs the Swift
// tasks that were spawned on it. It is not Sendable: whatever refers to it stays on its thread, and the
// compiler checks that. docs/decisions/0003-event-loop-is-not-an-actor.md says why it is no actor.

import CLinux
import Glibc
public import Instruments

/// An epoll loop on a thread of its own, level-triggered where nobody asks for `Interest.edges`.
///
/// A turn is: wait; tell handlers what is ready; fire timers; run jobs and letters; run the hooks of the
/// turn's end. All members must be used on the loop's thread; `remote` is for the others.
public final class EventLoop {
    /// Pieces of work (jobs, letters) in one turn; the rest waits until descriptors had their chance.
    static let workPerTurn = 4096

    /// What one read takes at most.
    package static let receiveBufferBytes = 64 << 10

    /// How much of a stream's answers is gathered before it is sent.
    package static let gatherBufferBytes = 16 << 10

    /// How often an ending loop runs what its last actions ask for.
    private static let lastRounds = 8

    /// How long a stopped loop waits for its cancelled tasks to end.
    static let stopLimit = Duration.seconds(5)

    /// For other threads: hands work to this loop.
    public let remote: EventLoopRemote

    /// The time at the start of the turn.
    public var now: ContinuousClock.Instant { turnStart }

    /// How long turns took from their waking on: so long does whatever becomes ready meanwhile wait.
    public private(set) var turnTimes = Histogram.ofSeconds

    /// Read and set as a whole (decision 30).
    @exclusivity(unchecked) private var turnStart: ContinuousClock.Instant
    package let executor: EpollExecutor
    let clock: any LoopClock
    /// Where all streams of this loop receive: the bytes are used up before the next receive, so an
    /// idle connection needs no buffer of its own.
    package let receiveBuffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: EventLoop.receiveBufferBytes,
        alignment: 16
    )
    /// Where the stream that is being read from gathers what its handler answers, until the handler
    /// returns.
    package let gatherBuffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: EventLoop.gatherBufferBytes,
        alignment: 16
    )
    var timers = TimerHeap()
    var tasks: [UInt64: Task<Void, Never>] = [:]
    var nextTaskID: UInt64 = 0
    var mailboxes: [UInt64: () -> Void] = [:]
    var nextMailboxID: UInt64 = 0
    /// What to do when a waiting task is cancelled, by the number of its wait.
    var cancellations: [UInt64: () -> Void] = [:]
    var nextWaitID: UInt64 = 0
    var signals: SignalDispatcher?
    private var poller: Poller
    /// What is to be done before the next wait, in its order.
    private var turnEnds: [TurnEnd] = []
    /// The storage of the list above while it is not in use: thousands of streams may flush each turn.
    private var spareTurnEnds: [TurnEnd] = []
    var isStopping = false

    /// Makes the loop of the calling thread.
    init(executor: EpollExecutor, clock: any LoopClock) {
        poller = Poller(epoll: executor.epollDescriptor)
        self.executor = executor
        self.clock = clock
        remote = EventLoopRemote(executor: executor)
        turnStart = clock.now
        executor.adoptCurrentThread()
        clock.whenItJumps { [executor] in executor.wake() }
    }

    deinit {
        receiveBuffer.deallocate()
        gatherBuffer.deallocate()
    }

    // MARK: Descriptors

    /// Calls `handler` when `descriptor` is ready for something in `interest`, until cancelled.
    ///
    /// The handler is kept alive as long. Cancel the registration before the descriptor is closed; a
    /// descriptor has one registration at a time, and a second one ends the first.
    /// - Throws: where epoll refuses the descriptor, such as a file or a closed one.
    public func register(
        _ descriptor: Int32,
        for interest: Interest,
        _ handler: any ReadinessHandler
    ) throws(SystemError) -> Registration {
        Registration(loop: self, key: try poller.add(descriptor, for: interest, handler))
    }

    func update(_ key: Poller.Key, _ interest: Interest) throws(SystemError) {
        try poller.update(key, interest)
    }

    func rearm(_ key: Poller.Key) throws(SystemError) { try poller.rearm(key) }

    func cancel(_ key: Poller.Key) { poller.remove(key) }

    // MARK: Turns

    /// Runs `action` once when this turn's work is done, before the loop waits again. What the action
    /// asks for in its turn (jobs, further hooks) is done before the wait, too.
    public func atEndOfTurn(_ action: @escaping () -> Void) {
        turnEnds.append(.function(action))
    }

    /// The same for who needs it in every turn: tells `handler`, without a closure to be made.
    package func atEndOfTurn(tell handler: any TurnEndHandler) {
        turnEnds.append(.handler(handler))
    }

    /// Ends the loop: its tasks are cancelled and get some seconds to finish, then the thread ends.
    public func stop() {
        isStopping = true
        for task in tasks.values { task.cancel() }
    }

    /// Turns until stopped.
    /// - Throws: where epoll itself fails, which no input can cause.
    func run() throws(SystemError) {
        _ = try register(executor.wakeUpDescriptor, for: .readable, InboxReader(executor))
        while !isStopping { try turn() }
        let limit = ContinuousClock.now + Self.stopLimit
        while hasUrgentWork || !tasks.isEmpty, .now < limit {
            try turn(sleepingAtMost: limit - .now)
        }
    }

    /// Does what was accepted, tells who still waits for a descriptor that the loop ends, and gives up
    /// all that the loop holds, so that cycles through it end with it.
    func tearDown() {
        executor.closeInbox()
        runWork()
        for handler in poller.removeAll() { handler.loopEnded() }
        for _ in 0..<Self.lastRounds where hasUrgentWork { finishTurn() }
        timers = TimerHeap()
        mailboxes.removeAll()
        cancellations.removeAll()
        turnEnds.removeAll()
        signals = nil
        executor.leaveCurrentThread()
    }

    private var hasUrgentWork: Bool { executor.hasWork || !turnEnds.isEmpty }

    private func turn(sleepingAtMost limit: Duration? = nil) throws(SystemError) {
        try poller.wait(milliseconds: timeToSleep(atMost: limit))
        turnStart = clock.now
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
        // The first round of hooks is the turn's flush; a second comes where flushing made more work.
        for _ in 0..<2 where !turnEnds.isEmpty {
            var batch = spareTurnEnds
            spareTurnEnds = []
            swap(&batch, &turnEnds)
            for end in batch {
                switch end {
                case .function(let function): function()
                case .handler(let handler): handler.turnEnded()
                }
            }
            batch.removeAll(keepingCapacity: true)
            spareTurnEnds = batch
            runWork()
        }
    }

    private func runWork() {
        executor.runWork(limit: Self.workPerTurn) { work in
            switch work {
            case .job: preconditionFailure("the executor runs jobs itself")
            case .function(let function): function(self)
            case .letters(let mailbox): mailboxes[mailbox]?()
            case .mailboxClosed(let mailbox): mailboxes[mailbox] = nil
            case .waitCancelled(let wait): cancellations[wait]?()
            }
        }
    }

    /// epoll's timeout: 0 where work waits, -1 where nothing is planned.
    private func timeToSleep(atMost limit: Duration?) -> Int32 {
        if hasUrgentWork || (isStopping && limit == nil) { return 0 }
        var sleep = limit
        if let deadline = timers.earliest, let time = clock.timeToSleep(until: deadline) {
            sleep = min(time, sleep ?? time)
        }
        guard let sleep else { return -1 }
        guard sleep > .zero else { return 0 }
        // Rounded up, for a timer must not fire early, nor the loop spin until it is due.
        let parts = sleep.components
        let milliseconds = (parts.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(clamping: min(parts.seconds, 1_000_000) * 1000 + milliseconds)
    }
}

/// Fetches what other threads left when they wake the loop.
private final class InboxReader: ReadinessHandler {
    private let executor: EpollExecutor

    init(_ executor: EpollExecutor) { self.executor = executor }

    func descriptorReady(_ readiness: Readiness) { executor.takeInbox() }
}
