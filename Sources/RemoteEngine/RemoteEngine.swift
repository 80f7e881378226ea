// The engines of one model on other machines, behind the interface of an engine in this process. What
// lives on the loop is in RemoteDispatch.

import Dispatch
public import EventLoop
public import Inference
public import Logging
import Networking
import Synchronization

/// Remote engines that answer for one model.
public final class RemoteEngine: InferenceEngine {
    /// A message to the loop.
    enum Command: Sendable {
        case submit(GenerationRequest)
        case cancel(UInt64)
        case forget([String])
        case use([RemoteAddress])
        case leaveRemoved
        case shutDown
    }

    /// What other threads may read.
    struct Shared {
        var running = 0
        var waiting = 0
        var isShutDown = false
        /// Threads that wait for the end.
        var endings: [DispatchSemaphore] = []
        var hasEnded = false
        var statuses: [RemoteStatus] = []
        var slots = 0
        var contextLength = RemoteModel.contextLengthDefault
    }

    /// Maximum number of waiting requests.
    private static let queueLimit = 1024

    private let commands: Mailbox<Command>
    private let shared: SharedState

    /// Starts to answer. Call it on the loop.
    /// - Parameters:
    ///   - model: the model.
    ///   - addresses: its engines; not empty.
    ///   - loop: the loop on which connections live.
    ///   - workers: threads that resolve host names, and check forms of answers.
    ///   - logger: logs faults; never a key.
    ///   - contextChanged: called on the loop with a new maximum number of tokens of prompt and
    ///     answer together, when the engines have told it.
    ///   - sink: receives the events of requests.
    public init(
        _ model: RemoteModel,
        at addresses: [RemoteAddress],
        loop: EventLoop,
        workers: WorkerPool,
        logger: Logger,
        contextChanged: @escaping (Int) -> Void,
        sink: @escaping @Sendable ([TokenEvent]) -> Void
    ) {
        let shared = SharedState()
        let dispatch = RemoteDispatch(
            model,
            loop: loop,
            workers: workers,
            logger: logger,
            shared: shared,
            contextChanged: contextChanged,
            sink: sink
        )
        commands = loop.mailbox(capacity: 1 << 16) { for command in $0 { dispatch.take(command) } }
        self.shared = shared
        dispatch.take(.use(addresses))
    }

    /// Uses exactly these engines from now on; those that are missing finish their answers.
    public func use(_ addresses: [RemoteAddress]) { commands.post(.use(addresses)) }

    /// Lets other engines go on at once with the answers of removed ones, if there are others.
    public func leaveRemoved() { commands.post(.leaveRemoved) }

    /// The limits and load of all engines together.
    public var capacity: EngineCapacity {
        shared.state.withLock {
            EngineCapacity(
                slots: $0.slots,
                queueLimit: Self.queueLimit,
                contextLength: $0.contextLength,
                running: $0.running,
                waiting: $0.waiting
            )
        }
    }

    /// Queues a request without blocking.
    /// - Throws: `.promptTooLong`, `.invalidRequest`, `.shutDown` or `.busy`.
    public func submit(_ request: GenerationRequest) throws(EngineError) {
        guard !request.prompt.isEmpty else { throw .invalidRequest("the prompt is empty") }
        let (isShutDown, waiting, contextLength) = shared.state.withLock {
            ($0.isShutDown, $0.waiting, $0.contextLength)
        }
        guard request.prompt.count < contextLength else {
            throw .promptTooLong(
                promptTokens: request.prompt.count,
                contextLength: contextLength
            )
        }
        guard request.maxNewTokens > request.answerPrefix.count else {
            throw .invalidRequest("the answer's beginning is as long as the answer may be")
        }
        guard !isShutDown else { throw .shutDown }
        guard waiting < Self.queueLimit, commands.post(.submit(request)) else {
            throw .busy(queueLimit: Self.queueLimit)
        }
    }

    /// Ends a request by closing its connection.
    public func cancel(_ id: UInt64) { commands.post(.cancel(id)) }

    /// Forgets which engines read these scopes.
    public func forget(_ scopes: [String]) { commands.post(.forget(scopes)) }

    /// Waits for the loop: never call it there.
    public func shutdown() {
        let ending = DispatchSemaphore(value: 0)
        let mustWait = shared.state.withLock { state in
            state.isShutDown = true
            if !state.hasEnded { state.endings.append(ending) }
            return !state.hasEnded
        }
        guard mustWait, commands.post(.shutDown) else { return }
        ending.wait()
    }

    /// The engines as they are now.
    public var statuses: [RemoteStatus] { shared.state.withLock { $0.statuses } }

    /// Whether an engine takes token ids, or may take them.
    public var takesTokens: Bool { statuses.contains { $0.takesTokens != false } }

    /// Whether an engine takes penalties and biases, or may take them.
    public var adjustsLogits: Bool { statuses.contains { $0.adjustsLogits != false } }

    /// Whether an engine takes a limit of thinking parts, or may take one.
    public var limitsThinking: Bool { statuses.contains { $0.limitsThinking != false } }
}

/// The state that threads share.
final class SharedState: Sendable {
    let state = Mutex(RemoteEngine.Shared())
}
