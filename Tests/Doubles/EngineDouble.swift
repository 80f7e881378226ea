// A remote engine on loopback that passes for vLLM, and whose answers are scripted: it streams, stalls,
// lies, refuses and dies.

import HTTPProtocol
public import JSONText
import Synchronization
public import TLSEngine

/// The engine.
public final class EngineDouble: Sendable {
    /// A reply.
    public typealias Reply = HTTPDouble.Reply

    /// A request for an answer.
    public struct Request: Sendable {
        /// The path.
        public let path: String
        /// The header with the key.
        public let authorization: String?
        /// The header with the trace.
        public let traceParent: String?
        /// The body.
        public let body: JSONValue
    }

    private struct State {
        var requests: [Request] = []
        var documents: [String: String]
        var documentCounts: [String: Int] = [:]
    }

    private let server: HTTPDouble
    private let state: SharedState
    private let scheme: String

    private final class SharedState: Sendable {
        let value: Mutex<State>
        init(_ state: State) { value = Mutex(state) }
    }

    /// Starts an engine.
    /// - Parameters:
    ///   - contextLength: what it tells of its context.
    ///   - documents: further documents, by path; `/metrics` for example.
    ///   - tls: its certificate; nil for plain connections.
    ///   - reply: gets the number of the request for an answer, from 0, and the request.
    /// - Throws: if it gets no thread.
    public init(
        contextLength: Int = 4096,
        documents: [String: String] = [:],
        tls: TLSServerConfiguration? = nil,
        _ reply: @escaping @Sendable (Int, Request) -> Reply
    ) throws {
        let models = #"""
            {"data":[{"id":"phi","object":"model","owned_by":"vllm",\#
            "max_model_len":\#(contextLength)}]}
            """#
        let known = ["/v1/models": models, "/version": #"{"version":"0.11.0"}"#]
        let state = SharedState(State(documents: known.merging(documents) { $1 }))
        self.state = state
        scheme = tls == nil ? "http" : "https"
        server = try HTTPDouble(tls: tls) { head, body in
            guard head.method == .post else { return Self.document(String(head.path), state) }
            let request = Request(
                path: String(head.path),
                authorization: head.headers[.authorization],
                traceParent: head.headers["traceparent"],
                body: (try? JSONValue(parsing: body)) ?? .null
            )
            let number = state.value.withLock { state in
                state.requests.append(request)
                return state.requests.count - 1
            }
            return reply(number, request)
        }
    }

    /// Ends its thread, and closes all connections.
    public func stop() { server.stop() }

    /// The base URL of its API.
    public var base: String { "\(scheme)://127.0.0.1:\(server.port)/v1" }
    /// The requests for answers so far.
    public var requests: [Request] { state.value.withLock { $0.requests } }
    /// How many stalled replies clients have given up.
    public var closedCount: Int { server.givenUpCount }

    /// How often a document was read.
    public func readCount(of path: String) -> Int {
        state.value.withLock { $0.documentCounts[path] ?? 0 }
    }

    /// Replaces a document.
    public func set(_ path: String, _ text: String) {
        state.value.withLock { $0.documents[path] = text }
    }

    private static func document(_ path: String, _ state: SharedState) -> Reply {
        let text = state.value.withLock { state in
            state.documentCounts[path, default: 0] += 1
            return state.documents[path]
        }
        return Reply(status: text == nil ? 404 : 200, body: Array((text ?? "{}").utf8))
    }
}

extension HTTPDouble.Reply {
    private static let streamHeaders: HTTPHeaders = [.contentType: "text/event-stream"]

    /// A stream of these bytes.
    public static func events(_ body: [UInt8], ending: HTTPDouble.Ending = .done) -> Self {
        Self(headers: streamHeaders, body: body, ending: ending)
    }

    /// A streamed answer of these texts in the form of `/v1/completions`, without an end if that is
    /// not `.done`.
    public static func stream(
        _ texts: [String],
        usage: String? = nil,
        ending: HTTPDouble.Ending = .done
    ) -> Self {
        var body = texts.map { event(#"{"choices":[{"index":0,"text":"\#($0)"}]}"#) }
        if ending == .done {
            body.append(event(#"{"choices":[{"index":0,"text":"","finish_reason":"stop"}]}"#))
            if let usage { body.append(event(#"{"choices":[],"usage":\#(usage)}"#)) }
            body.append(event("[DONE]"))
        }
        return events(Array(body.joined().utf8), ending: ending)
    }

    /// A streamed answer of one text in the form of `/v1/chat/completions`.
    public static func chat(_ text: String, ending: HTTPDouble.Ending = .done) -> Self {
        let end = ending == .done ? #""stop""# : "null"
        let choice = #"{"index":0,"delta":{"content":"\#(text)"},"finish_reason":\#(end)}"#
        let done = ending == .done ? event("[DONE]") : ""
        return events(Array((event(#"{"choices":[\#(choice)]}"#) + done).utf8), ending: ending)
    }

    /// A streamed answer of these texts in the form of `/v1/chat/completions`.
    public static func chat(tokens: [String]) -> Self {
        let events = tokens.map { token in
            event(#"{"choices":[{"index":0,"delta":{"content":"\#(token)"}}]}"#)
        }
        let end = event(#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#)
        return Self.events(Array((events.joined() + end + event("[DONE]")).utf8))
    }

    /// An error.
    public static func error(_ status: Int, _ message: String, retryAfter: Int? = nil) -> Self {
        var reply = Self(
            status: status,
            body: Array(#"{"error":{"message":"\#(message)"}}"#.utf8)
        )
        if let retryAfter { reply.headers[.retryAfter] = "\(retryAfter)" }
        return reply
    }

    private static func event(_ data: String) -> String { "data: \(data)\n\n" }
}
