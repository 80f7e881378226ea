// A span of swift-distributed-tracing's API that is recorded until it ends.

import Synchronization
public import Tracing

/// A span that is being recorded, or one of a trace that is not sampled, which records nothing.
public final class RecordedSpan: Span {
    /// Maximum events; more are counted. OpenTelemetry's default.
    private static let eventsMax = 128
    /// Maximum links.
    private static let linksMax = 128

    private struct State {
        var name: String
        var attributes = SpanAttributes()
        var events: [SpanEvent] = []
        var droppedEventCount = 0
        var links: [TraceContext] = []
        var status: SpanStatus?
        var hasEnded = false
    }

    /// The context for what is a part of this span.
    public let context: ServiceContext
    private let trace: TraceContext
    private let parent: SpanID?
    private let kind: SpanKind
    private let begin: UInt64
    /// Gets it once it has ended; nil if it is not sampled.
    private let buffer: SpanBuffer?
    private let state: Mutex<State>

    init(
        _ name: String,
        _ trace: TraceContext,
        in context: ServiceContext,
        parent: SpanID?,
        kind: SpanKind,
        begin: UInt64,
        buffer: SpanBuffer?
    ) {
        var context = context
        context.trace = trace
        self.context = context
        self.trace = trace
        self.parent = parent
        self.kind = kind
        self.begin = begin
        self.buffer = buffer
        state = Mutex(State(name: name))
    }

    /// What it measures.
    public var operationName: String {
        get { state.withLock { $0.name } }
        set { change { $0.name = newValue } }
    }

    /// Figures and ids, never what people wrote.
    public var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { change { $0.attributes = newValue } }
    }

    /// Whether it is sampled and has not ended.
    public var isRecording: Bool { buffer != nil && state.withLock { !$0.hasEnded } }

    /// Sets its outcome.
    public func setStatus(_ status: SpanStatus) { change { $0.status = status } }

    /// Adds an event, up to a maximum.
    public func addEvent(_ event: SpanEvent) {
        change { state in
            if state.events.count < Self.eventsMax {
                state.events.append(event)
            } else {
                state.droppedEventCount += 1
            }
        }
    }

    /// Records that it failed with an error of a type. The error's text is left out: it could quote
    /// what people wrote.
    public func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) {
        var attributes = attributes
        attributes["exception.type"] = "\(type(of: error))"
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
        setStatus(SpanStatus(code: .error))
    }

    /// Links it to a span of another trace; the link's attributes are not sent.
    public func addLink(_ link: SpanLink) {
        guard let trace = link.context.trace else { return }
        change { if $0.links.count < Self.linksMax { $0.links.append(trace) } }
    }

    /// Ends it; a second end changes nothing.
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard let buffer else { return }
        let end = max(begin, instant().nanosecondsSinceEpoch)
        let finished = state.withLock { state -> FinishedSpan? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return FinishedSpan(
                context: trace,
                parent: parent,
                name: state.name,
                kind: kind,
                begin: begin,
                end: end,
                attributes: state.attributes,
                events: state.events,
                droppedEventCount: state.droppedEventCount,
                links: state.links,
                status: state.status
            )
        }
        if let finished { buffer.append(finished) }
    }

    /// Changes what is recorded, until its end.
    private func change(_ body: (inout State) -> Void) {
        guard buffer != nil else { return }
        state.withLock { if !$0.hasEnded { body(&$0) } }
    }
}
