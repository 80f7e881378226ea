// The tracer behind swift-distributed-tracing's API. It is passed on, not put into
// InstrumentationSystem: that can be done once a process, and tests run several servers in one.

public import Tracing

/// Makes spans, and carries their traces in W3C's header fields.
public struct RecordingTracer: Tracer {
    private static let parentField = "traceparent"
    private static let stateField = "tracestate"

    /// Gets finished spans.
    public let buffer: SpanBuffer
    /// The share of new traces that are sampled, from 0 to 1. A part of a trace is sampled if its
    /// parent is.
    private let ratio: Double

    /// Creates a tracer.
    public init(buffer: SpanBuffer, ratio: Double) {
        self.buffer = buffer
        self.ratio = ratio
    }

    /// Whether to sample a new trace.
    public func samplesNewTrace() -> Bool { ratio >= 1 || .random(in: 0..<1) < ratio }

    /// A span that begins a sampled trace, whatever the ratio.
    public func startTrace(_ name: String, ofKind kind: SpanKind) -> RecordedSpan {
        RecordedSpan(
            name,
            TraceContext(trace: .make(), span: .make(), isSampled: true),
            in: .topLevel,
            parent: nil,
            kind: kind,
            begin: DefaultTracerClock.now.nanosecondsSinceEpoch,
            buffer: buffer
        )
    }

    /// Begins a part of the context's trace, or a new trace, which is sampled by the ratio.
    public func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> RecordedSpan {
        let context = context()
        let parent = context.trace
        let isSampled = parent?.isSampled ?? samplesNewTrace()
        let trace = TraceContext(
            trace: parent?.trace ?? .make(),
            // What is not recorded is nobody's parent.
            span: isSampled ? .make() : parent?.span ?? .make(),
            isSampled: isSampled,
            state: parent?.state
        )
        return RecordedSpan(
            operationName,
            trace,
            in: context,
            parent: parent?.span,
            kind: kind,
            begin: instant().nanosecondsSinceEpoch,
            buffer: isSampled ? buffer : nil
        )
    }

    /// As `startSpan`; the protocol's older requirement.
    public func startAnySpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> any Span {
        startSpan(
            operationName,
            context: context(),
            ofKind: kind,
            at: instant(),
            function: function,
            file: fileID,
            line: line
        )
    }

    /// Does nothing: the exporter sends the buffer's spans.
    public func forceFlush() {}

    /// Reads the trace of a carrier; without a valid one the context stays as it is.
    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let parent = extractor.extract(key: Self.parentField, from: carrier) else { return }
        let state = extractor.extract(key: Self.stateField, from: carrier)
        if let trace = TraceContext(parent: parent, state: state) { context.trace = trace }
    }

    /// Writes the trace of the context, if it has one.
    public func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context.trace else { return }
        injector.inject(trace.parent, forKey: Self.parentField, into: &carrier)
        if let state = trace.state {
            injector.inject(state, forKey: Self.stateField, into: &carrier)
        }
    }
}
