// The spans of a run: queue, prompt, engine, store and fan-out, one after the other. They are parts of
// the request that asked, also if another node runs the answer: the queue's row has the trace.

import ChatProtocol
import ChatStore
import Inference
import Traces
import Tracing

/// The trace of a run.
final class RunTrace {
    /// What a run does.
    enum Part: String {
        /// Waits for a free slot.
        case queue
        /// Reads the conversation, and builds and tokenizes the prompt.
        case prompt
        /// Generates the text.
        case engine
        /// Commits the outcome.
        case store
        /// Broadcasts the end to subscribers.
        case fanOut = "fan-out"
    }

    private let tracer: RecordingTracer
    /// The request that asked.
    private let request: ServiceContext
    private let run: ClaimedRun
    private var span: RecordedSpan?
    private var tokenCount = 0
    /// The number of tokens at which the next event is recorded: it doubles, so that the longest
    /// answer has some twenty events.
    private var nextTokenCount = 1

    /// Begins with the span of the queue; nil if the question is in no trace.
    init?(_ run: ClaimedRun, _ tracer: RecordingTracer) {
        guard let trace = run.trace,
            let parent = TraceContext(parent: trace.parent, state: trace.state)
        else { return nil }
        self.tracer = tracer
        self.run = run
        var request = ServiceContext.topLevel
        request.trace = parent
        self.request = request
        let queuedAt = UInt64(clamping: run.queuedAt.milliseconds) * 1_000_000
        begin(.queue, at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: queuedAt))
        span?.attributes["stoa.attempt"] = run.attempt
        span?.attributes["stoa.takeover"] = run.isRestart
    }

    /// Ends the current part, and begins the next one.
    func begin(
        _ part: Part,
        kind: SpanKind = .internal,
        at instant: DefaultTracerClock.Timestamp = DefaultTracerClock.now
    ) {
        span?.end(at: instant)
        let span = tracer.startSpan(part.rawValue, context: request, ofKind: kind, at: instant)
        span.attributes["stoa.conversation"] = "\(run.conversation)"
        span.attributes["stoa.message"] = "\(run.message)"
        span.attributes["stoa.run"] = "\(run.run)"
        self.span = span
    }

    /// Ends the current part.
    func end() {
        span?.end()
        span = nil
    }

    /// Begins the engine's part.
    /// - Parameters:
    ///   - model: the model's name.
    ///   - isRemote: whether it is on another machine.
    /// - Returns: the header fields for a remote engine.
    func beginEngine(_ model: String, isRemote: Bool) -> [String: String] {
        begin(.engine, kind: isRemote ? .client : .internal)
        guard let span else { return [:] }
        span.attributes["gen_ai.operation.name"] = "chat"
        span.attributes["gen_ai.request.model"] = model
        var fields: [String: String] = [:]
        if isRemote { tracer.inject(span.context, into: &fields, using: FieldDictionary()) }
        return fields
    }

    /// Begins the broadcast of the end.
    /// - Parameter count: the number of subscribers.
    func beginFanOut(to count: Int) {
        begin(.fanOut)
        span?.attributes["stoa.subscribers"] = count
    }

    /// Records an event of the engine.
    func note(_ event: TokenEvent) {
        guard let span, span.isRecording else { return }
        switch event {
        case .started(_, let promptTokens, let cachedTokens):
            let attributes: SpanAttributes = [
                "stoa.prompt.tokens": .int(Int64(promptTokens)),
                "stoa.cached.tokens": .int(Int64(cachedTokens)),
            ]
            span.addEvent(SpanEvent(name: "started", attributes: attributes))
        case .progress(_, let done, _):
            let attributes: SpanAttributes = ["stoa.prompt.tokens": .int(Int64(done))]
            span.addEvent(SpanEvent(name: "prompt read", attributes: attributes))
        case .text(_, _, let tokens, _):
            // Remote engines do not tell their tokens: each piece of text counts as one.
            tokenCount += max(1, tokens.count)
            guard tokenCount >= nextTokenCount else { return }
            let name = nextTokenCount == 1 ? "first token" : "tokens"
            while nextTokenCount <= tokenCount { nextTokenCount *= 2 }
            let attributes: SpanAttributes = ["stoa.answer.tokens": .int(Int64(tokenCount))]
            span.addEvent(SpanEvent(name: name, attributes: attributes))
        case .finished, .failed: break
        }
    }

    /// Ends the current part with the run's outcome.
    func end(with outcome: RunOutcome) {
        guard let span else { return }
        if let usage = outcome.usage {
            span.attributes["gen_ai.usage.input_tokens"] = usage.promptTokens
            span.attributes["gen_ai.usage.output_tokens"] = usage.completionTokens
        }
        span.attributes["stoa.finish"] = outcome.finish.rawValue
        if let error = outcome.error { span.fail(error.code) }
        end()
    }
}

private struct FieldDictionary: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
        carrier[key] = value
    }
}
