// A client of the server's HTTP side, in time that the test moves. There is no database: what needs one
// waits for it.

import ChatServer
import ChatStore
import EventLoop
import Glibc
import Logging
import Networking
import Postgres

/// A server, and one connection to it. Lives on its loop.
final class HTTPScene {
    /// How many seconds a request waits for the database.
    static let databaseSeconds = 1000

    let server: Server
    /// The server's end of the connection.
    let served: ByteStream
    /// The client's end.
    let client: ByteStream
    private let loop: EventLoop
    private let clock: ManualClock
    private let postgres: PostgresPool
    private let transcript = Transcript()

    /// Runs `body` with a client that has just connected.
    static func run(_ body: @escaping @Sendable (HTTPScene) async throws -> Void) async throws {
        let clock = ManualClock()
        try await EventLoop.run(clock: clock) { loop in
            let scene = try HTTPScene(loop, clock)
            try await body(scene)
            await scene.postgres.close()
        }
    }

    private init(_ loop: EventLoop, _ clock: ManualClock) throws {
        self.loop = loop
        self.clock = clock
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        var configuration = PostgresConfiguration(
            socketFolder: "/nowhere",
            user: "nobody",
            database: "none"
        )
        configuration.connectionCount = 1
        configuration.waitDeadline = .seconds(Self.databaseSeconds)
        postgres = PostgresPool(loop: loop, configuration: configuration, logger: logger)
        let store = Store(pool: postgres)
        let bus = SoloBus()
        let hub = ConversationHub(loop: loop, store: store, bus: bus)
        var settings = ServerSettings()
        settings.allowedHosts = ["h"]
        let dispatcher = RunDispatcher(
            loop: loop,
            store: store,
            hub: hub,
            configuration: RunDispatcher.Configuration(
                lease: .seconds(30),
                maxTokens: 100,
                temperature: 0
            ),
            promptWorkers: try WorkerPool(name: "prompts", threads: 1, queueLimit: 1),
            logger: logger
        )
        server = Server(
            loop: loop,
            store: store,
            hub: hub,
            dispatcher: dispatcher,
            nodes: NodeLink(
                loop: loop,
                store: store,
                hub: hub,
                dispatcher: dispatcher,
                bus: bus,
                logger: logger
            ),
            authenticator: Authenticator(
                loop: loop,
                store: store,
                hasher: try PasswordHasher(threads: 1, queueLimit: 1),
                lifetime: settings.sessionLifetime,
                registration: settings.registration
            ),
            foreignImports: try ForeignImports(),
            settings: settings,
            epoch: "test",
            logger: logger
        )
        let ends = try ByteStream.pair(loop: loop)
        served = ends.0
        client = ends.1
        client.handler = transcript
        server.accept(served)
    }

    /// All that the client has received.
    var received: [UInt8] { transcript.received }

    /// The same as text.
    var text: String { String(decoding: received, as: UTF8.self) }

    /// Whether neither side has closed.
    var isOpen: Bool { served.isOpen && client.isOpen }

    /// Sends what the client says, and waits until it has been heard.
    func send(_ text: String) async throws {
        client.write(Array(text.utf8))
        try await turn()
    }

    /// Asks for the page a hundred times, the last time with these fields, and reads none of it, until
    /// the server takes no more requests.
    func overfill(last: String = "") async throws {
        client.pauseReading()
        let page = "GET / HTTP/1.1\r\nHost: h\r\n"
        try await send(String(repeating: "\(page)\r\n", count: 99) + "\(page)\(last)\r\n")
        for _ in 0..<100 where !served.isAboveHighMark { try await turn() }
    }

    /// Has a client that reads nothing else read until so much less waits on the server, or the server has
    /// put more there.
    func take(byteCount: Int) async throws {
        guard let number = client.descriptorNumber else { return }
        let before = served.queuedByteCount
        let tooMuch = (before - byteCount + 1)...before
        var bytes = [UInt8](repeating: 0, count: 4096)
        while tooMuch.contains(served.queuedByteCount),
            recv(number, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0
        {
            try await turn()
        }
    }

    /// Lets time go by.
    func pass(seconds: Int) async throws {
        clock.advance(by: .seconds(seconds))
        try await turn()
    }

    /// Lets the loop turn until what is due is done.
    func turn() async throws {
        for _ in 0..<10 { try await loop.sleep(for: .zero) }
    }
}

/// Notes what comes, and closes when the other side does.
private final class Transcript: StreamHandler {
    private(set) var received: [UInt8] = []

    func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
        received.append(contentsOf: bytes)
    }

    func streamReceivedEnd(_ stream: ByteStream) { stream.close() }

    func streamDrained(_ stream: ByteStream) {}

    func streamClosed(_ stream: ByteStream, _ error: NetworkError?) {}
}
