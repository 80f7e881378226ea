// A server on loopback whose replies a test scripts: it answers, stalls, and dies.

import Dispatch
import EventLoop
public import HTTPProtocol
import Networking
import Synchronization
public import TLSEngine

/// The server, on a thread of its own.
public final class HTTPDouble: Sendable {
    /// How a reply ends.
    public enum Ending: Sendable, Hashable {
        /// As it should.
        case done
        /// The connection is closed.
        case cut
        /// Nothing more is sent.
        case stall
        /// All connections are closed, and none are accepted for a while.
        case death(Duration)
    }

    /// A reply.
    public struct Reply: Sendable {
        /// The status.
        public var status: Int
        /// The headers.
        public var headers: HTTPHeaders
        /// The body, in pieces that are sent one after the other.
        public var pieces: [[UInt8]]
        /// The time between two pieces.
        public var pause: Duration = .zero
        /// How it ends.
        public var ending: Ending

        /// Creates a reply.
        public init(
            status: Int = 200,
            headers: HTTPHeaders = [.contentType: "application/json"],
            body: [UInt8] = [],
            ending: Ending = .done
        ) {
            self.status = status
            self.headers = headers
            self.ending = ending
            pieces = [body]
        }
    }

    private struct State {
        var port: UInt16 = 0
        var stalls = 0
        var givenUp = 0
    }

    /// What lives on the loop.
    private final class Desk {
        var listener: Listener?
        /// The open connections, by number.
        var streams: [Int: AsyncByteStream] = [:]
        var streamCount = 0
    }

    private let state = Mutex(State())
    private let thread = Mutex<EventLoopThread?>(nil)
    private let answer: @Sendable (HTTPRequestHead, [UInt8]) -> Reply

    /// Starts a server on a free port.
    /// - Parameters:
    ///   - tls: its certificate; nil for plain connections.
    ///   - answer: returns the reply to a request and its body; called on the server's thread.
    /// - Throws: if it gets no thread.
    public init(
        tls: TLSServerConfiguration? = nil,
        answer: @escaping @Sendable (HTTPRequestHead, [UInt8]) -> Reply
    ) throws {
        self.answer = answer
        let isOpen = DispatchSemaphore(value: 0)
        let started = try EventLoop.launch(name: "http double") { loop in
            self.open(on: loop, tls)
            isOpen.signal()
        }
        isOpen.wait()
        thread.withLock { $0 = started }
    }

    /// Ends its thread, and closes all connections.
    public func stop() { thread.withLock { $0?.remote.stop() } }

    /// Its port.
    public var port: UInt16 { state.withLock { $0.port } }
    /// How many replies have stalled.
    public var stallCount: Int { state.withLock { $0.stalls } }
    /// How many stalled replies clients have given up.
    public var givenUpCount: Int { state.withLock { $0.givenUp } }

    private func open(on loop: EventLoop, _ tls: TLSServerConfiguration?) {
        let desk = Desk()
        listen(desk, on: loop, tls)
        let port = desk.listener?.address.port ?? 0
        state.withLock { $0.port = port }
    }

    private func listen(_ desk: Desk, on loop: EventLoop, _ tls: TLSServerConfiguration?) {
        var configuration = ListenerConfiguration()
        configuration.tls = tls
        desk.listener = try? Listener(
            loop: loop,
            address: .ipv4(0x7F00_0001, port: port),
            configuration: configuration
        ) { stream in
            let stream = AsyncByteStream(stream)
            desk.streamCount += 1
            let number = desk.streamCount
            desk.streams[number] = stream
            loop.spawn {
                let death = await self.serve(stream, on: loop)
                desk.streams[number] = nil
                if let death { self.die(desk, for: death, on: loop, tls) }
            }
        }
    }

    private func die(
        _ desk: Desk,
        for duration: Duration,
        on loop: EventLoop,
        _ tls: TLSServerConfiguration?
    ) {
        // Another one may have died at the same time.
        guard let listener = desk.listener else { return }
        listener.close()
        desk.listener = nil
        for stream in desk.streams.values { stream.close() }
        loop.schedule(after: duration) { self.listen(desk, on: loop, tls) }
    }

    /// Answers requests until the connection ends.
    /// - Returns: how long the server is dead then; nil if it is not.
    private func serve(_ stream: AsyncByteStream, on loop: EventLoop) async -> Duration? {
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
                    guard let head else { return nil }
                    let reply = answer(head, body)
                    do { try await send(reply, over: stream, &connection, on: loop) } catch {
                        return nil
                    }
                    switch reply.ending {
                    case .done: break
                    case .cut: return nil
                    case .death(let duration): return duration
                    case .stall:
                        state.withLock { $0.stalls += 1 }
                        _ = try? await stream.read()
                        state.withLock { $0.givenUp += 1 }
                        return nil
                    }
                }
            }
            if connection.shouldClose { return nil }
        }
        return nil
    }

    private func send(
        _ reply: Reply,
        over stream: AsyncByteStream,
        _ connection: inout HTTPServerConnection,
        on loop: EventLoop
    ) async throws {
        let head = HTTPResponseHead(HTTPStatus(reply.status), headers: reply.headers)
        let isWhole = reply.pieces.count == 1 && reply.ending == .done
        var bytes = connection.send(
            head,
            length: isWhole ? .exactly(reply.pieces[0].count) : .unknown
        )
        for (index, piece) in reply.pieces.enumerated() {
            if index > 0, reply.pause > .zero {
                try await stream.write(bytes)
                bytes = []
                try await loop.sleep(for: reply.pause)
            }
            bytes += connection.sendBody(piece)
        }
        if reply.ending == .done { bytes += connection.sendEnd() }
        try await stream.write(bytes)
    }
}
