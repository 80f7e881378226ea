// The engine of this process: one thread of its own that runs an EngineLoop, and the ways to it.

/// Generates answers with a model in this process. All its methods may be called on any thread and
/// none but `shutdown` waits.
public final class Engine: InferenceEngine {
    private let contextLength: Int
    private let vocabularyCount: Int
    private let configuration: EngineConfiguration
    private let queue: CommandQueue
    private let now: @Sendable () -> ContinuousClock.Instant
    private let thread: EngineThread

    /// Starts the engine's thread.
    /// - Parameters:
    ///   - model: shared with whoever else uses it.
    ///   - configuration: how much is done at once.
    ///   - pages: where what was read is kept on the disk; nil for nowhere.
    ///   - sink: gets the tokens of each step as one batch, on the engine's thread: it must hand
    ///     them over and return. It may call all methods of the engine.
    /// - Throws: `EngineError.noThread`.
    public convenience init(
        model: LoadedModel,
        configuration: EngineConfiguration = .standard,
        pages: PageStore? = nil,
        sink: @escaping @Sendable ([TokenEvent]) -> Void
    ) throws(EngineError) {
        try self.init(
            model: model,
            configuration: configuration,
            pages: pages,
            now: { ContinuousClock.now },
            sink: sink
        )
    }

    /// An engine with a clock of the caller's, for tests.
    package init(
        model: LoadedModel,
        configuration: EngineConfiguration,
        pages: PageStore? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        sink: @escaping @Sendable ([TokenEvent]) -> Void
    ) throws(EngineError) {
        let queue = CommandQueue(limit: configuration.queueLimit)
        contextLength = model.contextLength(limit: configuration.contextLimit)
        vocabularyCount = model.vocabularyCount
        self.configuration = configuration
        self.queue = queue
        self.now = now
        thread = try EngineThread.launch(name: "engine") {
            EngineLoop(
                model: model,
                configuration: configuration,
                pages: pages,
                queue: queue,
                now: now,
                sink: sink
            ).run()
            queue.end()
        }
    }

    deinit {
        // The thread ends by itself; whoever needs its last events calls `shutdown`.
        queue.close()
    }

    /// What the engine can do, and what it is doing at this instant.
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

    /// Queues a request. Never waits.
    /// - Throws: `.busy` when the queue is full, `.promptTooLong`, `.invalidRequest`, `.shutDown`.
    ///   A request that was refused gets no events.
    public func submit(_ request: GenerationRequest) throws(EngineError) {
        try request.validate(contextLength: contextLength, vocabularyCount: vocabularyCount)
        try queue.submit(request, at: now(), slots: configuration.slots)
    }

    /// Ends a request with `.finished` and `.stopped`, within one step. Does nothing for a request
    /// that is unknown, finished or cancelled already.
    public func cancel(_ id: UInt64) {
        queue.cancel(id)
    }

    /// The scopes of whose finished requests it has something in memory, and perhaps of some more.
    public var scopes: Set<String> { queue.scopes }

    /// Keeps nothing of what was read for these scopes, in memory or on the disk, nor of what their
    /// unfinished requests read. Does not wait.
    public func forget(_ scopes: [String]) {
        queue.post(.forget(scopes))
    }

    /// Ends all requests with `.finished` and `.stopped`, takes no more, and returns when the last
    /// event was given to the sink and what was read is on the disk, where it is to be; that has
    /// three seconds, and as long as the disk takes for the pages that it has then. May be called
    /// again. Called by the sink, it does not wait.
    public func shutdown() {
        queue.close()
        if !thread.isCurrent { queue.waitForEnd() }
    }
}
