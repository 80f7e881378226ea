// A span that has ended, and the bounded buffer from which finished spans are sent.

import Synchronization
public import Tracing

/// A span that has ended.
public struct FinishedSpan: Sendable {
    /// The span itself.
    public let context: TraceContext
    /// The span that it is a part of; nil if it begins a trace.
    public let parent: SpanID?
    /// What it measures, such as `prompt`.
    public let name: String
    /// Its role between processes.
    public let kind: SpanKind
    /// Nanoseconds since 1970.
    public let begin: UInt64
    /// Nanoseconds since 1970; not before `begin`.
    public let end: UInt64
    /// Figures and ids.
    public let attributes: SpanAttributes
    /// What happened in between, oldest first.
    public let events: [SpanEvent]
    /// How many events there were beyond the maximum.
    public let droppedEventCount: Int
    /// Spans of other traces that it has to do with.
    public let links: [TraceContext]
    /// Its outcome; nil if nothing is known to be wrong.
    public let status: SpanStatus?
}

/// Finished spans that wait to be sent. Any thread may add some.
public final class SpanBuffer: Sendable {
    private struct State {
        var spans: [FinishedSpan] = []
        var droppedCount = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// Creates an empty buffer.
    /// - Parameter capacity: spans that may wait; more are dropped.
    public init(capacity: Int) { self.capacity = capacity }

    /// Adds a span, or drops it if the buffer is full.
    public func append(_ span: FinishedSpan) {
        state.withLock { state in
            if state.spans.count < capacity {
                state.spans.append(span)
            } else {
                state.droppedCount += 1
            }
        }
    }

    /// Removes and returns the oldest spans.
    public func take(atMost count: Int) -> [FinishedSpan] {
        state.withLock { state in
            let taken = Array(state.spans.prefix(count))
            state.spans.removeFirst(taken.count)
            return taken
        }
    }

    /// The number of spans that wait.
    public var count: Int { state.withLock { $0.spans.count } }

    /// How many spans were dropped because the buffer was full.
    public var droppedCount: Int { state.withLock { $0.droppedCount } }
}
