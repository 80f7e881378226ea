// Header fields of W3C Trace Context, with the examples of its section 3.2 and of its test suite.

import Testing
import Traces
import Tracing

@Suite struct TraceContextTests {
    private static let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("traceparent is parsed and written again as it was", arguments: ["01", "00"])
    func roundTrip(flags: String) {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-\(flags)"
        let context = TraceContext(parent: text)
        #expect(context?.parent == text)
        #expect(context?.isSampled == (flags == "01"))
        #expect(context.map { "\($0.trace)" } == "4bf92f3577b34da6a3ce929d0e0e4736")
    }

    @Test("a later version may have more fields, and unknown flags are left out")
    func laterVersion() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"
        #expect(TraceContext(parent: "01-\(trace)-01-more")?.parent == "00-\(trace)-01")
        #expect(TraceContext(parent: "cc-\(trace)-09")?.parent == "00-\(trace)-01")
        #expect(TraceContext(parent: "00-\(trace)-08")?.isSampled == false)
    }

    @Test(
        "a malformed traceparent is ignored",
        arguments: [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
            "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ]
    )
    func malformed(text: String) { #expect(TraceContext(parent: text) == nil) }

    @Test(
        "a valid tracestate is passed on as it came",
        arguments: ["foo=1", "foo=1,bar=2", "foo=1 \t,  bar=2,", "a/b*c-d_e@v=x y"]
    )
    func validState(text: String) {
        #expect(TraceContext(parent: Self.example, state: text)?.state == text)
    }

    @Test(
        "a malformed tracestate is dropped, and the trace stays",
        arguments: [
            "", "foo", "foo=", "Foo=1", "foo=1=2", "=1", "foo=ä", ",",
            String(repeating: "a", count: 600) + "=1",
            (0..<33).map { "k\($0)=1" }.joined(separator: ","),
        ]
    )
    func malformedState(text: String) {
        let context = TraceContext(parent: Self.example, state: text)
        #expect(context != nil && context?.state == nil)
    }

    @Test("damaged fields never trap, and what is accepted is written as a valid field")
    func damaged() {
        let bytes = Array("0123456789abcdef-=,@ \tAg\u{E4}".utf8)
        for _ in 0..<20_000 {
            var parent = Array(Self.example.utf8)
            var state = Array("vendor@a=1,b=2".utf8)
            for _ in 0..<Int.random(in: 0...3) {
                parent[Int.random(in: parent.indices)] = bytes[Int.random(in: bytes.indices)]
                state[Int.random(in: state.indices)] = bytes[Int.random(in: bytes.indices)]
            }
            if Bool.random() { parent.removeLast(Int.random(in: 0...55)) }
            let context = TraceContext(
                parent: String(decoding: parent, as: UTF8.self),
                state: String(decoding: state, as: UTF8.self)
            )
            guard let context else { continue }
            let again = TraceContext(parent: context.parent, state: context.state)
            #expect(again == context)
        }
    }

    @Test("a tracer reads a trace from header fields, and writes it into others")
    func carriers() {
        let tracer = RecordingTracer(buffer: SpanBuffer(capacity: 1), ratio: 0)
        var context = ServiceContext.topLevel
        let fields = ["traceparent": Self.example, "tracestate": "foo=1"]
        tracer.extract(fields, into: &context, using: Fields())
        var written: [String: String] = [:]
        tracer.inject(context, into: &written, using: Fields())
        #expect(written == fields)

        var none = ServiceContext.topLevel
        tracer.extract(["tracestate": "foo=1"], into: &none, using: Fields())
        #expect(none.trace == nil)
    }

    private struct Fields: Extractor, Injector {
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }

        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
            carrier[key] = value
        }
    }
}
