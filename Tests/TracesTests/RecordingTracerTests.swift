// Spans of swift-distributed-tracing's API: what is sampled, what is recorded, and its OTLP text.

import JSONText
import Testing
import Traces
import Tracing

@Suite struct RecordingTracerTests {
    private let buffer = SpanBuffer(capacity: 100)

    private func tracer(ratio: Double = 1) -> RecordingTracer {
        RecordingTracer(buffer: buffer, ratio: ratio)
    }

    @Test("a span is recorded once, when it ends, as a part of its parent")
    func parts() throws {
        let tracer = tracer()
        let whole = tracer.startTrace("whole", ofKind: .server)
        tracer.withSpan("part", context: whole.context) { _ in }
        #expect(whole.isRecording)
        whole.end()
        whole.end()
        whole.attributes["late"] = 1
        #expect(!whole.isRecording)
        let spans = buffer.take(atMost: 10)
        #expect(spans.map(\.name) == ["part", "whole"])
        #expect(spans[0].parent == spans[1].context.span)
        #expect(spans[0].context.trace == spans[1].context.trace)
        #expect(spans[1].parent == nil && spans[1].attributes.isEmpty)
        #expect(spans.allSatisfy { $0.begin <= $0.end })
    }

    @Test("a part of a trace is sampled if its parent is, whatever the ratio")
    func parentDecides() throws {
        for (flags, ratio, count) in [("01", 0.0, 1), ("00", 1.0, 0)] {
            let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-\(flags)"
            var context = ServiceContext.topLevel
            context.trace = TraceContext(parent: text)
            let span = tracer(ratio: ratio).startSpan("part", context: context)
            span.end()
            #expect(buffer.take(atMost: 10).count == count)
            // What is not recorded cannot be a parent: the caller's span stays it.
            #expect((span.context.trace?.parent == text) == (count == 0))
        }
    }

    @Test("none of the new traces is sampled with a ratio of 0, and all are with 1")
    func ratio() {
        for _ in 0..<100 {
            tracer(ratio: 0).startSpan("none", context: .topLevel).end()
            tracer(ratio: 1).startSpan("all", context: .topLevel).end()
        }
        let names = buffer.take(atMost: 1000).map(\.name)
        #expect(names.count == 100 && Set(names) == ["all"])
    }

    @Test("a full buffer drops spans and counts them, and a span bounds its events")
    func bounds() {
        let small = SpanBuffer(capacity: 1)
        let tracer = RecordingTracer(buffer: small, ratio: 1)
        let span = tracer.startTrace("long", ofKind: .internal)
        for _ in 0..<1000 { span.addEvent("step") }
        span.end()
        tracer.startTrace("more", ofKind: .internal).end()
        #expect(small.count == 1 && small.droppedCount == 1)
        let taken = small.take(atMost: 1)
        #expect(taken[0].events.count == 128 && taken[0].droppedEventCount == 872)
    }

    @Test("an error is recorded by its type, without its text")
    func errors() throws {
        struct Quoting: Error, CustomStringConvertible { let description = "what Ann wrote" }
        let span = tracer().startTrace("failing", ofKind: .internal)
        span.recordError(Quoting())
        span.end()
        let text = try TraceExport(buffer.take(atMost: 1), of: [], version: "1").text()
        let shown = String(decoding: text, as: UTF8.self)
        #expect(shown.contains("Quoting") && !shown.contains("Ann"))
    }

    @Test("spans are written with the field names of OTLP's JSON encoding")
    func export() throws {
        let tracer = tracer()
        let whole = tracer.startTrace("whole", ofKind: .server)
        let part = tracer.startSpan("part", context: whole.context, ofKind: .client)
        part.attributes["count"] = 3
        part.attributes["share"] = 0.5
        part.attributes["flag"] = true
        part.attributes["word"] = "yes"
        part.addEvent(SpanEvent(name: "step", attributes: ["tokens": 8]))
        part.addLink(whole)
        part.setStatus(SpanStatus(code: .error, message: "busy"))
        part.end()
        let spans = buffer.take(atMost: 10)
        let text = try TraceExport(spans, of: [("service.name", "stoa")], version: "1.2").text()

        let body = try JSONValue(parsing: text)
        let resource = try #require(body["resourceSpans"]?.array?.first)
        let name = try #require(resource["resource"]?["attributes"]?.array?.first)
        #expect(name["key"]?.string == "service.name")
        #expect(name["value"]?["stringValue"]?.string == "stoa")
        let scope = try #require(resource["scopeSpans"]?.array?.first)
        #expect(scope["scope"]?["version"]?.string == "1.2")
        let span = try #require(scope["spans"]?.array?.first)
        #expect(span["traceId"]?.string?.count == 32 && span["spanId"]?.string?.count == 16)
        #expect(span["parentSpanId"]?.string == whole.context.trace.map { "\($0.span)" })
        #expect(span["kind"]?.integer == 3 && span["flags"]?.integer == 1)
        #expect(span["startTimeUnixNano"]?.string.flatMap { UInt64($0) } == spans[0].begin)
        #expect(span["status"]?["code"]?.integer == 2)
        #expect(span["status"]?["message"]?.string == "busy")
        #expect(span["links"]?.array?.first?["spanId"]?.string == span["parentSpanId"]?.string)
        let event = try #require(span["events"]?.array?.first)
        #expect(event["name"]?.string == "step" && event["timeUnixNano"]?.string != nil)
        #expect(event["attributes"]?.array?.first?["value"]?["intValue"]?.string == "8")
        let values = (span["attributes"]?.array ?? []).compactMap { $0["value"]?.object?.first }
        #expect(values.map(\.key) == ["intValue", "boolValue", "doubleValue", "stringValue"])
    }
}
