// The real engine, with a note of each prompt that it was given.

import Checkpoints
import Inference
import Synchronization

final class RecordingEngine: InferenceEngine {
    private let engine: Engine
    private let recorded = Mutex<[[TokenID]]>([])

    init(model: LoadedModel, sink: @escaping @Sendable ([TokenEvent]) -> Void) throws {
        engine = try Engine(model: model, sink: sink)
    }

    /// The prompts, in the order of their runs.
    var prompts: [[TokenID]] { recorded.withLock { $0 } }

    var capacity: EngineCapacity { engine.capacity }

    func submit(_ request: GenerationRequest) throws(EngineError) {
        recorded.withLock { $0.append(request.prompt) }
        try engine.submit(request)
    }

    func cancel(_ id: UInt64) { engine.cancel(id) }

    func shutdown() { engine.shutdown() }
}
