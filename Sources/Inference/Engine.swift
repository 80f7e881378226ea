// The engine of this process: an EngineLoop on its own thread, and its thread-safe interface.

import PhiModel
import Synchronization

/// Generates answers with a model in this process. All methods may be called on any thread, and
/// only `shutdown` blocks.
public final class Engine: InferenceEngine {
    private let contextLength: Int
    private let vocabularyCount: Int
    private let places: AdapterPlaces
    private let configuration: EngineConfiguration
    private let queue: CommandQueue
    private let now: @Sendable () -> ContinuousClock.Instant
    private let thread: EngineThread
    private let turns: ComputeMember

    /// Starts the engine's thread.
    /// - Parameters:
    ///   - model: may be shared.
    ///   - configuration: limits and settings.
    ///   - threads: the threads to compute on, which engines may share; nil for threads of its own.
    ///   - pages: the store for KV cache pages on disk; nil for none.
    ///   - sink: receives the events of each step as one batch on the engine's thread; it must pass
    ///     them on and return. It may call all methods of the engine.
    /// - Throws: `EngineError.noThread`.
    public convenience init(
        model: LoadedModel,
        configuration: EngineConfiguration = .standard,
        threads: ComputeThreads? = nil,
        pages: PageStore? = nil,
        sink: @escaping @Sendable ([TokenEvent]) -> Void
    ) throws(EngineError) {
        try self.init(
            model: model,
            configuration: configuration,
            threads: threads,
            pages: pages,
            now: { ContinuousClock.now },
            sink: sink
        )
    }

    /// Creates an engine with a clock, for tests.
    package init(
        model: LoadedModel,
        configuration: EngineConfiguration,
        threads: ComputeThreads? = nil,
        pages: PageStore? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        sink: @escaping @Sendable ([TokenEvent]) -> Void
    ) throws(EngineError) {
        let queue = CommandQueue(limit: configuration.queueLimit)
        contextLength = model.contextLength(limit: configuration.contextLimit)
        vocabularyCount = model.vocabularyCount
        places = model.model.adapterPlaces
        self.configuration = configuration
        self.queue = queue
        self.now = now
        let turns = (threads ?? ComputeThreads(count: configuration.threads, now: now)).join()
        self.turns = turns
        // Taken out by the thread, so that the weights are released before `shutdown` returns.
        let first = Mutex<LoadedModel?>(model)
        thread = try EngineThread.launch(name: "engine") {
            if let model = first.withLock({ $0.take() }) {
                EngineLoop(
                    model: model,
                    configuration: configuration,
                    threads: turns,
                    pages: pages,
                    queue: queue,
                    now: now,
                    sink: sink
                ).run()
            }
            queue.end()
        }
    }

    deinit {
        // The thread ends on its own; callers that need its last events call `shutdown`.
        queue.close()
    }

    /// The limits and current load of the engine.
    public var capacity: EngineCapacity {
        let load = queue.load
        return EngineCapacity(
            slots: configuration.slots,
            queueLimit: configuration.queueLimit,
            contextLength: contextLength,
            running: load.running,
            waiting: load.waiting
        )
    }

    /// How long its passes have had the compute threads, in total.
    public var computeTime: Duration { turns.total }

    /// Queues a request without blocking.
    /// - Throws: `.busy` when the queue is full, `.promptTooLong`, `.invalidRequest`, `.shutDown`.
    ///   A refused request gets no events.
    public func submit(_ request: GenerationRequest) throws(EngineError) {
        try request.validate(
            contextLength: contextLength,
            vocabularyCount: vocabularyCount,
            places: places
        )
        try queue.submit(request, at: now(), slots: configuration.slots)
    }

    /// Ends a request with `.finished` and `.stopped`, within one step. Does nothing for a request
    /// that is unknown, finished or already cancelled.
    public func cancel(_ id: UInt64) {
        queue.cancel(id)
    }

    /// The scopes of finished requests with cached pages in memory; may contain others.
    public var scopes: Set<String> { queue.scopes }

    /// Removes the cached pages of these scopes, in memory and on disk, also those of their
    /// unfinished requests. Does not block.
    public func forget(_ scopes: [String]) {
        queue.post(.forget(scopes))
    }

    /// Ends all requests with `.finished` and `.stopped`, refuses new ones, and returns when the
    /// sink has received the last event, cached pages have been written to disk, which may take
    /// three seconds and the time for the pages being written then, and the model and the memory
    /// for keys and values are released. May be called again. When
    /// called by the sink, it does not block.
    public func shutdown() {
        queue.close()
        if !thread.isCurrent { queue.waitForEnd() }
    }
}
