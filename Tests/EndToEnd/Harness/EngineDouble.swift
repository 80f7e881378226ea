// A remote engine on loopback whose replies a test scripts: it streams, stalls, lies, refuses and dies.

import Dispatch
import EventLoop
import HTTPProtocol
import JSONText
import Networking
import Synchronization

/// The engine, on a thread of its own.
final class EngineDouble: Sendable {
    /// How a reply ends.
    enum Ending: Sendable {
        /// As it should.
        case done
        /// The connection is closed.
        case cut
        /// Nothing more is sent.
        case stall
    }

    /// The reply to a request for an answer.
    struct Reply: Sendable {
        var status = 200
        var headers: HTTPHeaders = [.contentType: "text/event-stream"]
        var body: [UInt8] = []
        var ending = Ending.done

        /// A streamed answer of these texts, without an end if that is not `.done`.
        static func stream(
            _ texts: [String],
            usage: String? = nil,
            ending: Ending = .done
        ) -> Reply {
            var body = texts.map { event(#"{"choices":[{"index":0,"text":"\#($0)"}]}"#) }
            if ending == .done {
                body.append(event(#"{"choices":[{"index":0,"text":"","finish_reason":"stop"}]}"#))
                if let usage { body.append(event(#"{"choices":[],"usage":\#(usage)}"#)) }
                body.append(event("[DONE]"))
            }
            return Reply(body: Array(body.joined().utf8), ending: ending)
        }

        /// An error.
        static func error(_ status: Int, _ message: String, retryAfter: Int? = nil) -> Reply {
            var headers: HTTPHeaders = [.contentType: "application/json"]
            if let retryAfter { headers[.retryAfter] = "\(retryAfter)" }
            return Reply(
                status: status,
                headers: headers,
                body: Array(#"{"error":{"message":"\#(message)"}}"#.utf8)
            )
        }

        private static func event(_ data: String) -> String { "data: \(data)\n\n" }
    }

    /// A request for an answer.
    struct Request: Sendable {
        let path: String
        let authorization: String?
        let body: JSONValue
    }

    private struct State {
        var port: UInt16 = 0
        var requests: [Request] = []
        var closedCount = 0
    }

    private final class ListenerBox {
        var listener: Listener?
    }

    private let state = Mutex(State())
    private let thread = Mutex<EventLoopThread?>(nil)
    private let reply: @Sendable (Int, Request) -> Reply

    /// Starts an engine that passes for vLLM.
    /// - Parameter reply: gets the number of the request, from 0, and the request.
    /// - Throws: if it gets no thread.
    init(_ reply: @escaping @Sendable (Int, Request) -> Reply) throws {
        self.reply = reply
        let isOpen = DispatchSemaphore(value: 0)
        let started = try EventLoop.launch(name: "engine double") { loop in
            self.open(on: loop)
            isOpen.signal()
        }
        isOpen.wait()
        thread.withLock { $0 = started }
    }

    /// Ends its thread, and closes all connections.
    func stop() { thread.withLock { $0?.remote.stop() } }

    var base: String { "http://127.0.0.1:\(state.withLock { $0.port })/v1" }
    /// The requests so far.
    var requests: [Request] { state.withLock { $0.requests } }
    /// How many stalled replies the client has given up.
    var closedCount: Int { state.withLock { $0.closedCount } }

    // MARK: Serving

    private func open(on loop: EventLoop) {
        let box = ListenerBox()
        box.listener = try? Listener(loop: loop, address: .ipv4(0x7F00_0001, port: 0)) { stream in
            withExtendedLifetime(box) {}
            loop.spawn { await self.serve(AsyncByteStream(stream)) }
        }
        let port = box.listener?.address.port ?? 0
        state.withLock { $0.port = port }
    }

    private func serve(_ stream: AsyncByteStream) async {
        defer { stream.stream.closeAfterFlush() }
        var connection = HTTPServerConnection()
        var head: HTTPRequestHead?
        var body: [UInt8] = []
        while let bytes = try? await stream.read() {
            bytes.withUnsafeBytes { connection.receive($0) }
            while let event = try? connection.nextEvent() {
                switch event {
                case .request(let request): (head, body) = (request, [])
                case .body(let bytes): body += bytes
                case .end, .upgrade:
                    guard let head else { return }
                    let reply = answer(head, body)
                    var sent = connection.send(
                        HTTPResponseHead(HTTPStatus(reply.status), headers: reply.headers),
                        length: .unknown
                    )
                    sent += connection.sendBody(reply.body)
                    if case .done = reply.ending { sent += connection.sendEnd() }
                    guard (try? await stream.write(sent)) != nil else { return }
                    switch reply.ending {
                    case .done: break
                    case .cut: return
                    case .stall:
                        _ = try? await stream.read()
                        return state.withLock { $0.closedCount += 1 }
                    }
                }
            }
            if connection.shouldClose { return }
        }
    }

    private func answer(_ head: HTTPRequestHead, _ body: [UInt8]) -> Reply {
        guard head.method == .post else { return document(String(head.path)) }
        let request = Request(
            path: String(head.path),
            authorization: head.headers[.authorization],
            body: (try? JSONValue(parsing: body)) ?? .null
        )
        let number = state.withLock { state in
            state.requests.append(request)
            return state.requests.count - 1
        }
        return reply(number, request)
    }

    private func document(_ path: String) -> Reply {
        let headers: HTTPHeaders = [.contentType: "application/json"]
        let text =
            switch path {
            case "/v1/models":
                #"{"data":[{"id":"phi","object":"model","owned_by":"vllm","max_model_len":4096}]}"#
            case "/version": #"{"version":"0.11.0"}"#
            default: ""
            }
        return Reply(status: text.isEmpty ? 404 : 200, headers: headers, body: Array(text.utf8))
    }
}
