// The interface of inference engines.
//
// `Engine` generates in this process. A remote engine, for example with OpenAI's API, can conform
// too.

/// Accepts requests and reports events through the sink that it was created with.
public protocol InferenceEngine: AnyObject, Sendable {
    /// The limits and current load of the engine.
    var capacity: EngineCapacity { get }

    /// Queues a request without blocking.
    /// - Throws: `.busy` when the queue is full, `.promptTooLong`, `.invalidRequest`, `.shutDown`.
    ///   A refused request gets no events.
    func submit(_ request: GenerationRequest) throws(EngineError)

    /// Ends a request with `.finished` and `.stopped`, within one step. Does nothing for a request
    /// that is unknown, finished or already cancelled.
    func cancel(_ id: UInt64)

    /// The scopes of finished requests with cached pages in memory; may contain others.
    var scopes: Set<String> { get }

    /// Removes the cached pages of these scopes, in memory and on disk, also those of their
    /// unfinished requests. Does not block.
    func forget(_ scopes: [String])

    /// Ends all requests with `.finished` and `.stopped`, refuses new ones, and returns when the
    /// sink has received the last event. May be called again.
    func shutdown()
}

extension InferenceEngine {
    /// Empty, for engines without a cache.
    public var scopes: Set<String> { [] }

    /// Does nothing, for engines without a cache.
    public func forget(_ scopes: [String]) {}
}
