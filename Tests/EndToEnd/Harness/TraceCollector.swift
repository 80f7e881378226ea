// An OTLP/HTTP collector on loopback, which keeps the spans that it gets.

import Doubles
import HTTPProtocol
import JSONText
import Synchronization
import TestSupport

/// A span as the collector got it.
struct CollectedSpan: Sendable {
    let json: JSONValue
    /// The attributes of the resource that made it, as texts.
    let resource: [String: String]

    var name: String { json["name"]?.string ?? "" }
    var trace: String { json["traceId"]?.string ?? "" }
    var id: String { json["spanId"]?.string ?? "" }
    var parent: String? { json["parentSpanId"]?.string }
    var begin: UInt64 { json["startTimeUnixNano"]?.string.flatMap { UInt64($0) } ?? 0 }
    var end: UInt64 { json["endTimeUnixNano"]?.string.flatMap { UInt64($0) } ?? 0 }
    var events: [String] { (json["events"]?.array ?? []).compactMap { $0["name"]?.string } }
    var links: [String] { (json["links"]?.array ?? []).compactMap { $0["traceId"]?.string } }
    var attributes: [String: String] { Self.texts(json["attributes"]) }

    static func texts(_ attributes: JSONValue?) -> [String: String] {
        var texts: [String: String] = [:]
        for attribute in attributes?.array ?? [] {
            guard let key = attribute["key"]?.string else { continue }
            let value = attribute["value"]
            let flag = value?["boolValue"]?.bool.map { "\($0)" }
            texts[key] = value?["stringValue"]?.string ?? value?["intValue"]?.string ?? flag
        }
        return texts
    }
}

/// The collector.
final class TraceCollector: Sendable {
    private struct State {
        var spans: [CollectedSpan] = []
        var texts = ""
        var headers = HTTPHeaders()
        var paths: [String] = []
        var status = 200
        var stalls = false
        var requestCount = 0
    }

    private final class SharedState: Sendable { let value = Mutex(State()) }

    private let state: SharedState
    private let server: HTTPDouble

    /// Starts a collector.
    init() throws {
        let state = SharedState()
        self.state = state
        server = try HTTPDouble { head, body in
            let status = state.value.withLock { state in
                state.requestCount += 1
                guard state.status == 200 else { return state.status }
                state.texts += String(decoding: body, as: UTF8.self)
                state.headers = head.headers
                state.paths.append(String(head.path))
                state.spans += Self.spans((try? JSONValue(parsing: body)) ?? .null)
                return 200
            }
            var reply = HTTPDouble.Reply(status: status, body: Array("{}".utf8))
            if state.value.withLock({ $0.stalls }) { reply.ending = .stall }
            return reply
        }
    }

    private static func spans(_ body: JSONValue) -> [CollectedSpan] {
        (body["resourceSpans"]?.array ?? []).flatMap { group in
            let resource = CollectedSpan.texts(group["resource"]?["attributes"])
            return (group["scopeSpans"]?.array ?? []).flatMap { scope in
                (scope["spans"]?.array ?? []).map { CollectedSpan(json: $0, resource: resource) }
            }
        }
    }

    /// Ends its thread.
    func stop() { server.stop() }

    /// The status of its responses from now on; it keeps nothing unless that is 200.
    func answer(_ status: Int) { state.value.withLock { $0.status = status } }

    /// Ends no response from now on.
    func stall() { state.value.withLock { $0.stalls = true } }

    /// How many responses have not ended.
    var stallCount: Int { server.stallCount }

    var endpoint: String { "http://127.0.0.1:\(server.port)/v1/traces" }
    var spans: [CollectedSpan] { state.value.withLock { $0.spans } }
    /// The bodies of all requests.
    var texts: String { state.value.withLock { $0.texts } }
    /// The header fields of the last request.
    var headers: HTTPHeaders { state.value.withLock { $0.headers } }
    var paths: [String] { state.value.withLock { $0.paths } }
    var requestCount: Int { state.value.withLock { $0.requestCount } }

    /// Waits for spans of a trace with these names.
    func spans(of trace: String, named names: Set<String>) throws -> [CollectedSpan] {
        var found: [CollectedSpan] = []
        try eventually("spans \(names.sorted())") {
            found = spans.filter { $0.trace == trace }
            return names.isSubset(of: found.map(\.name))
        }
        return found
    }

    /// Waits for a span with a name.
    func span(named name: String) throws -> CollectedSpan {
        var found: CollectedSpan?
        try eventually("a span \(name)") {
            found = spans.first { $0.name == name }
            return found != nil
        }
        guard let found else { throw HarnessError("no span \(name)") }
        return found
    }
}
