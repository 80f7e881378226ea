// The real engine that records its requests, and filters that simulate a node that hangs.

import Checkpoints
import Dispatch
import Inference
import Synchronization

final class RecordingEngine: InferenceEngine {
    private let engine: Engine
    private let recorded = Mutex<[GenerationRequest]>([])

    init(model: LoadedModel, sink: @escaping @Sendable ([TokenEvent]) -> Void) throws {
        engine = try Engine(model: model, sink: sink)
    }

    /// The prompts, in the order of their runs.
    var prompts: [[TokenID]] { requests.map(\.prompt) }
    /// The requests, in the same order.
    var requests: [GenerationRequest] { recorded.withLock { $0 } }

    var capacity: EngineCapacity { engine.capacity }

    func submit(_ request: GenerationRequest) throws(EngineError) {
        recorded.withLock { $0.append(request) }
        try engine.submit(request)
    }

    func cancel(_ id: UInt64) { engine.cancel(id) }

    func shutdown() { engine.shutdown() }
}

/// Passes an engine's events until a number of text pieces, then only events of stopped answers: as
/// if its node hung.
final class Silence: Sendable {
    private let left: Mutex<Int>

    init(after count: Int) {
        left = Mutex(count)
    }

    /// Passes all events from now on.
    func end() { left.withLock { $0 = .max } }

    func pass(_ events: [TokenEvent]) -> [TokenEvent] {
        left.withLock { left in
            events.filter { event in
                if case .finished(_, let completion) = event, completion.finish == .stopped {
                    return true
                }
                guard left > 0 else { return false }
                if case .text = event { left -= 1 }
                return true
            }
        }
    }
}

/// Drops the text and the end of the answer that starts first, unless it is stopped.
final class SilentFirstAnswer: Sendable {
    private let first = Mutex<UInt64?>(nil)

    func pass(_ events: [TokenEvent]) -> [TokenEvent] {
        first.withLock { first in
            events.filter { event in
                if first == nil { first = event.id }
                guard event.id == first else { return true }
                return switch event {
                case .started: true
                case .finished(_, let completion): completion.finish == .stopped
                default: false
                }
            }
        }
    }
}

/// Blocks an engine's steps after its first text, until it is opened.
final class Gate: Sendable {
    private let hasText = Mutex(false)
    private let opened = DispatchSemaphore(value: 0)

    func pass(_ events: [TokenEvent]) -> [TokenEvent] {
        if hasText.withLock({ $0 }) {
            opened.wait()
            opened.signal()
        } else if events.contains(where: { if case .text = $0 { true } else { false } }) {
            hasText.withLock { $0 = true }
        }
        return events
    }

    func open() { opened.signal() }
}

/// Counts answers that were without text at the same time.
final class Silences: Sendable {
    private let state = Mutex((silent: Set<UInt64>(), most: 0))

    /// The maximum at any time.
    var most: Int { state.withLock { $0.most } }

    func note(_ events: [TokenEvent]) {
        state.withLock { state in
            for event in events {
                if case .started = event {
                    state.silent.insert(event.id)
                } else if case .progress = event {
                    continue
                } else {
                    state.silent.remove(event.id)
                }
                state.most = max(state.most, state.silent.count)
            }
        }
    }
}
