// The seam between those who want answers and those who generate them.
//
// `Engine` generates in this process. An engine on another host (one that speaks OpenAI's
// interface, say) conforms too, and its users need not know.

/// Takes requests and tells about them through the sink that it was made with.
public protocol InferenceEngine: AnyObject, Sendable {
    /// What the engine can do, and what it is doing at this instant.
    var capacity: EngineCapacity { get }

    /// Queues a request. Never waits.
    /// - Throws: `.busy` when the queue is full, `.promptTooLong`, `.invalidRequest`, `.shutDown`.
    ///   A request that was refused gets no events.
    func submit(_ request: GenerationRequest) throws(EngineError)

    /// Ends a request with `.finished` and `.stopped`, within one step. Does nothing for a request
    /// that is unknown, finished or cancelled already.
    func cancel(_ id: UInt64)

    /// The scopes of whose finished requests it has something in memory, and perhaps of some more.
    var scopes: Set<String> { get }

    /// Keeps nothing of what was read for these scopes, in memory or on the disk, nor of what their
    /// unfinished requests read. Does not wait.
    func forget(_ scopes: [String])

    /// Ends all requests with `.finished` and `.stopped`, takes no more, and returns when the last
    /// event was given to the sink. May be called again.
    func shutdown()
}

extension InferenceEngine {
    /// None, for engines that keep nothing.
    public var scopes: Set<String> { [] }

    /// Does nothing, for engines that keep nothing.
    public func forget(_ scopes: [String]) {}
}
