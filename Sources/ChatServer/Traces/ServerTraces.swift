// The spans of requests: which requests begin a trace, and which continue their caller's.

import ChatProtocol
import HTTPProtocol
import Traces
import Tracing

/// The trace that a request says it is a part of (W3C Trace Context).
enum TraceCaller: Sendable {
    /// From an address whose traces are continued, sampled or not.
    case continued(ServiceContext)
    /// From anybody else, who must neither decide what is recorded nor add to others' traces: the
    /// request begins a trace of its own, which names the caller's.
    case named(ServiceContext)
}

/// The traces of a server.
final class ServerTraces: Sendable {
    let tracer: RecordingTracer
    private let continuedFrom: [AddressRange]

    /// - Parameters:
    ///   - ratio: the share of new traces that are recorded, from 0 to 1.
    ///   - continuedFrom: addresses of callers whose traces are continued.
    init(ratio: Double, continuedFrom: [AddressRange]) {
        // Some 10 MB, and more than a second's.
        tracer = RecordingTracer(buffer: SpanBuffer(capacity: 8192), ratio: ratio)
        self.continuedFrom = continuedFrom
    }

    /// The trace that a request's header fields name; nil if they name none.
    func caller(of headers: HTTPHeaders, peer: String?) -> TraceCaller? {
        var context = ServiceContext.topLevel
        tracer.extract(headers, into: &context, using: HeaderFields())
        guard context.trace != nil else { return nil }
        let isContinued = continuedFrom.contains { $0.contains(peer: peer) }
        return isContinued ? .continued(context) : .named(context)
    }

    /// Begins the span of a request.
    /// - Parameters:
    ///   - name: the operation, or the route with its method.
    ///   - caller: the trace that the request names.
    ///   - request: its name in the log.
    /// - Returns: nil if it is not recorded, and no caller's trace is continued.
    func begin(_ name: String, from caller: TraceCaller?, _ request: RequestID) -> RecordedSpan? {
        let span: RecordedSpan
        if case .continued(let context)? = caller {
            span = tracer.startSpan(name, context: context, ofKind: .server)
        } else {
            guard tracer.samplesNewTrace() else { return nil }
            span = tracer.startTrace(name, ofKind: .server)
            if case .named(let context)? = caller {
                span.addLink(SpanLink(context: context, attributes: [:]))
            }
        }
        span.attributes["stoa.request"] = "\(request)"
        return span
    }

    /// Begins the span of a part of the current request; nil if that is in no trace.
    func part(_ name: String) -> RecordedSpan? {
        guard let context = ServiceContext.current, context.trace != nil else { return nil }
        return tracer.startSpan(name, context: context)
    }
}

extension RecordedSpan {
    /// Ends it with the error that the client got; nil for none. Texts of errors may quote what
    /// people wrote, and are left out.
    func end(with code: ErrorCode?) {
        if let code { fail(code) }
        end()
    }

    /// Records an error. Only those of the server make the span a failed one.
    func fail(_ code: ErrorCode) {
        attributes["error.type"] = code.rawValue
        if code.httpStatus >= 500 { setStatus(SpanStatus(code: .error, message: code.rawValue)) }
    }
}

/// Header fields as a carrier of swift-distributed-tracing.
private struct HeaderFields: Extractor {
    func extract(key: String, from carrier: HTTPHeaders) -> String? {
        HTTPHeaderName(key).flatMap { carrier[$0] }
    }
}
