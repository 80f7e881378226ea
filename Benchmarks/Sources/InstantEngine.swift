// An engine that answers at once with a fixed text: the rest of the server is measured.

import Inference
import Synchronization

/// Answers each request within `submit`.
final class InstantEngine: InferenceEngine {
    private let sink: @Sendable ([TokenEvent]) -> Void
    private let slots: Int
    private let isShutDown = Mutex(false)

    init(slots: Int, sink: @escaping @Sendable ([TokenEvent]) -> Void) {
        self.slots = slots
        self.sink = sink
    }

    var capacity: EngineCapacity {
        EngineCapacity(
            slots: slots,
            queueLimit: 1 << 16,
            contextLength: 4096,
            running: 0,
            waiting: 0
        )
    }

    func submit(_ request: GenerationRequest) throws(EngineError) {
        if isShutDown.withLock({ $0 }) { throw .shutDown }
        let count = request.prompt.count
        let completion = Completion(
            finish: .stop,
            promptTokens: count,
            completionTokens: 2,
            timeToFirstToken: .zero,
            tokensPerSecond: 1
        )
        sink([
            .started(id: request.id, promptTokens: count, cachedTokens: 0),
            .text(id: request.id, text: "Hello back!", tokens: [1, 2]),
            .finished(id: request.id, completion: completion),
        ])
    }

    func cancel(_ id: UInt64) {}

    func shutdown() { isShutDown.withLock { $0 = true } }
}
