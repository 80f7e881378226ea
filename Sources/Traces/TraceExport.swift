// Finished spans in OTLP's JSON encoding: the message ExportTraceServiceRequest of
// opentelemetry-proto 1.x, with ids as hexadecimal digits and 64-bit numbers as strings.

import JSONText
import Tracing

/// The body of a request to an OTLP/HTTP collector.
public struct TraceExport: Encodable {
    /// The kind of numbers of opentelemetry.proto.trace.v1.Span.SpanKind.
    private static func number(of kind: SpanKind) -> Int {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }

    private let resourceSpans: [ResourceSpans]

    /// Creates the body.
    /// - Parameters:
    ///   - spans: the spans.
    ///   - resource: what made them: attributes such as `service.name`.
    ///   - version: the version of the program.
    public init(_ spans: [FinishedSpan], of resource: [(String, String)], version: String) {
        resourceSpans = [
            ResourceSpans(
                resource: Resource(
                    attributes: resource.map { KeyValue(key: $0, value: Value(stringValue: $1)) }
                ),
                scopeSpans: [
                    ScopeSpans(
                        scope: Scope(name: "stoa", version: version),
                        spans: spans.map(SpanFields.init)
                    )
                ]
            )
        ]
    }

    /// The text in UTF-8.
    public func text() throws -> [UInt8] { try JSONTextEncoder.encode(self) }

    private struct ResourceSpans: Encodable {
        let resource: Resource
        let scopeSpans: [ScopeSpans]
    }

    private struct Resource: Encodable { let attributes: [KeyValue] }

    private struct ScopeSpans: Encodable {
        let scope: Scope
        let spans: [SpanFields]
    }

    private struct Scope: Encodable {
        let name: String
        let version: String
    }

    private struct SpanFields: Encodable {
        let traceId: String
        let spanId: String
        let traceState: String?
        let parentSpanId: String?
        /// The flags of `traceparent`.
        let flags = 1
        let name: String
        let kind: Int
        let startTimeUnixNano: String
        let endTimeUnixNano: String
        let attributes: [KeyValue]
        let events: [Event]
        let droppedEventsCount: Int
        let links: [Link]
        let status: Status?

        init(_ span: FinishedSpan) {
            traceId = "\(span.context.trace)"
            spanId = "\(span.context.span)"
            traceState = span.context.state
            parentSpanId = span.parent.map { "\($0)" }
            name = span.name
            kind = TraceExport.number(of: span.kind)
            startTimeUnixNano = "\(span.begin)"
            endTimeUnixNano = "\(span.end)"
            attributes = KeyValue.list(span.attributes)
            events = span.events.map(Event.init)
            droppedEventsCount = span.droppedEventCount
            links = span.links.map(Link.init)
            status = span.status.map(Status.init)
        }
    }

    private struct Event: Encodable {
        let timeUnixNano: String
        let name: String
        let attributes: [KeyValue]

        init(_ event: SpanEvent) {
            timeUnixNano = "\(event.nanosecondsSinceEpoch)"
            name = event.name
            attributes = KeyValue.list(event.attributes)
        }
    }

    private struct Link: Encodable {
        let traceId: String
        let spanId: String
        let traceState: String?

        init(_ context: TraceContext) {
            traceId = "\(context.trace)"
            spanId = "\(context.span)"
            traceState = context.state
        }
    }

    private struct Status: Encodable {
        let message: String?
        let code: Int

        init(_ status: SpanStatus) {
            message = status.message
            code = status.code == .ok ? 1 : 2
        }
    }

    private struct KeyValue: Encodable {
        let key: String
        let value: Value

        /// The attributes by name, so that equal spans have equal texts.
        static func list(_ attributes: SpanAttributes) -> [KeyValue] {
            var list: [KeyValue] = []
            // swift-format-ignore: ReplaceForEachWithForLoop
            attributes.forEach { list.append(KeyValue(key: $0, value: Value($1))) }
            return list.sorted { $0.key < $1.key }
        }
    }

    /// One of the members is set.
    private struct Value: Encodable {
        var stringValue: String?
        var boolValue: Bool?
        var intValue: String?
        var doubleValue: Double?

        init(stringValue: String) { self.stringValue = stringValue }

        init(_ attribute: SpanAttribute) {
            switch attribute {
            case .string(let text): stringValue = text
            case .bool(let flag): boolValue = flag
            case .int32(let number): intValue = "\(number)"
            case .int64(let number): intValue = "\(number)"
            case .double(let number): doubleValue = number
            case .stringConvertible(let value): stringValue = "\(value)"
            // The server sets no arrays.
            default: stringValue = "\(attribute)"
            }
        }
    }
}
