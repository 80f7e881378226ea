// A client of the HTTP server, on a fake clock. There is no database: requests that need one wait
// for it.

import ChatServer
import ChatStore
import EventLoop
import Glibc
import Logging
import Networking
import Postgres

/// A server with one connection. Lives on its loop.
final class HTTPScene {
    /// Seconds that a request waits for the database.
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

    /// Runs `body` with a new client.
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
        let caches = PromptCaches()
        let runs = RunTable()
        let peers = NodePeers(
            loop: loop,
            store: store,
            hub: hub,
            bus: bus,
            runs: runs,
            deletions: caches
        )
        let dispatcher = RunDispatcher(
            loop: loop,
            store: store,
            hub: hub,
            runs: runs,
            peers: peers,
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
                peers: peers,
                logger: logger
            ),
            caches: caches,
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

    /// All bytes that the client has received.
    var received: [UInt8] { transcript.received }

    /// The same as text.
    var text: String { String(decoding: received, as: UTF8.self) }

    /// Whether both sides are open.
    var isOpen: Bool { served.isOpen && client.isOpen }

    /// Sends text from the client, and waits until the server has received it.
    func send(_ text: String) async throws {
        client.write(Array(text.utf8))
        try await turn()
    }

    /// Requests the page a hundred times, the last time with these headers, and reads nothing,
    /// until the server accepts no more requests.
    func overfill(last: String = "") async throws {
        client.pauseReading()
        let page = "GET / HTTP/1.1\r\nHost: h\r\n"
        try await send(String(repeating: "\(page)\r\n", count: 99) + "\(page)\(last)\r\n")
        for _ in 0..<100 where !served.isAboveHighMark { try await turn() }
    }

    /// Lets the client read until the server has that many fewer unsent bytes, or adds more.
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

    /// Advances the clock.
    func pass(seconds: Int) async throws {
        clock.advance(by: .seconds(seconds))
        try await turn()
    }

    /// Runs the loop until all due work is done.
    func turn() async throws {
        for _ in 0..<10 { try await loop.sleep(for: .zero) }
    }
}

/// Records received bytes, and closes when the peer does.
private final class Transcript: StreamHandler {
    private(set) var received: [UInt8] = []

    func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
        received.append(contentsOf: bytes)
    }

    func streamReceivedEnd(_ stream: ByteStream) { stream.close() }

    func streamDrained(_ stream: ByteStream) {}

    func streamClosed(_ stream: ByteStream, _ error: NetworkError?) {}
}
