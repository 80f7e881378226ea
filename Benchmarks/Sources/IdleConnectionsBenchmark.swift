// Thousands of idle connections beside a few active ones: how much the active ones slow down, and how
// much memory each idle connection costs the server.

import ArgumentParser
import ChatProtocol
import Digests
import EventLoop
import HTTPProtocol

struct IdleConnectionsBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idle-connections",
        abstract: "Hold connections beside active ones, and see what those notice.",
        discussion: """
            On the chat server each connection is of a user of its own, whose token is SHA-256 of \
            “bench NUMBER”, from 0 on; it watches the first conversation of that user's list. Active \
            ones ping, and those of stoa-echo send 64 bytes.
            """
    )

    @Option(help: "The server, such as http://127.0.0.1:8080.") var server: String
    @Option(help: "Its process, to read its memory.") var process: Int
    @Flag(help: "The server is stoa-echo.") var echo = false
    @Option(help: "Connections that are held.") var held = 19_000
    @Option(help: "Connections that ask.") var active = 200
    @Option(help: "Milliseconds between two requests of an active one.") var period = 100
    @Option(help: "Seconds of asking, without idle connections and with them.") var seconds = 60

    func validate() throws {
        guard held > 0, active > 0, period > 0, seconds > 0 else {
            throw ValidationError("numbers begin with 1")
        }
    }

    func run() async throws {
        guard let origin = HTTPOrigin(server) else {
            throw ValidationError("not a server's URL")
        }
        guard DescriptorLimit.raise() > held + active + 32 else {
            throw ValidationError("this process may not have so many descriptors")
        }
        let target = LoadServer(origin: origin, isEcho: echo)
        let (process, held, active) = (process, held, active)
        let (period, span) = (Duration.milliseconds(period), Duration.seconds(seconds))
        let result = try await EventLoop.run { loop in
            let connections = HeldConnections(
                loop: loop,
                server: target,
                process: process,
                period: period
            )
            return try await connections.measure(active: active, held: held, span)
        }
        report("idle_alone_p50_ms", result.alone.median * 1000)
        report("idle_alone_p99_ms", result.alone.percentile(0.99) * 1000)
        report("idle_beside_p50_ms", result.beside.median * 1000)
        report("idle_beside_p99_ms", result.beside.percentile(0.99) * 1000)
        report(
            "idle_p99_ratio",
            result.beside.percentile(0.99) / result.alone.percentile(0.99)
        )
        report("idle_connect_seconds", result.connectSeconds)
        report("idle_pss_before_mb", Double(result.memory.before) / 1_048_576)
        report("idle_bytes_by_connection", result.bytes(at: result.memory.idle, of: held))
        report("idle_bytes_by_connection_later", result.bytes(at: result.memory.later, of: held))
    }
}

/// All connections. Used on one event loop.
private final class HeldConnections {
    struct Result: Sendable {
        /// Response times in seconds.
        var alone = Sample()
        var beside = Sample()
        /// The server's memory (Pss): before the idle connections, with them, and after the
        /// requests beside them.
        var memory = (before: 0, idle: 0, later: 0)
        var connectSeconds = 0.0

        /// Memory per idle connection.
        func bytes(at moment: Int, of count: Int) -> Double {
            Double(moment - memory.before) / Double(count)
        }
    }

    /// Concurrent connection attempts: less than the listener's backlog.
    private static let openersMax = 64
    /// Time for pending work to finish before memory is read.
    private static let pause: Duration = .seconds(3)

    private let loop: EventLoop
    private let server: LoadServer
    private let process: Int
    private let period: Duration

    init(loop: EventLoop, server: LoadServer, process: Int, period: Duration) {
        self.loop = loop
        self.server = server
        self.process = process
        self.period = period
    }

    func measure(active: Int, held: Int, _ span: Duration) async throws -> Result {
        var result = Result()
        let askers = try await open(0..<active)
        // Warmup: the first requests are slower.
        _ = try await ask(askers, for: .seconds(2))
        result.alone = try await ask(askers, for: span)

        result.memory.before = try await memory()
        let start = loop.now
        let idle = try await open(active..<(active + held))
        result.connectSeconds = (loop.now - start).inSeconds
        result.memory.idle = try await memory()

        result.beside = try await ask(askers, for: span)
        result.memory.later = try await memory()
        let lost = idle.count { !$0.isOpen }
        guard lost == 0 else { throw LoadError.unexpected("\(lost) connections were lost") }
        return result
    }

    private func memory() async throws -> Int {
        try await loop.sleep(for: Self.pause)
        return try ProcessMemory.proportional(of: process)
    }

    // MARK: Connecting

    private func open(_ numbers: Range<Int>) async throws -> [LoadSocket] {
        var sockets: [LoadSocket] = []
        var failure: (any Error)?
        var next = numbers.lowerBound
        let openers = (0..<Self.openersMax).map { _ in
            loop.spawn { [self] in
                while failure == nil, next < numbers.upperBound {
                    let number = next
                    next += 1
                    do {
                        let socket = try await open(number)
                        sockets.append(socket)
                    } catch {
                        failure = error
                    }
                }
            }
        }
        for opener in openers { await opener.wait() }
        if let failure { throw failure }
        return sockets
    }

    private func open(_ number: Int) async throws -> LoadSocket {
        if server.isEcho { return try await LoadSocket.open(loop, server) }
        let token = SHA256.digest(of: "bench \(number)").hexadecimal
        let socket = try await LoadSocket.open(loop, server, token: token)
        let list = try await socket.call(
            .conversationList,
            ConversationListRequest(limit: 1)
        )
        guard let conversation = list.conversations.first?.id else {
            throw LoadError.unexpected("“bench \(number)” has no conversation")
        }
        _ = try await socket.call(
            .conversationWatch,
            ConversationWatchRequest(conversation: conversation)
        )
        return socket
    }

    // MARK: Asking

    private var request: [UInt8] {
        server.isEcho
            ? Array(repeating: UInt8(ascii: "a"), count: 64)
            : WireEncoding.text(OutgoingRequest(id: 1, .ping, EmptyRequest()))
    }

    private func ask(_ sockets: [LoadSocket], for span: Duration) async throws -> Sample {
        let (start, request) = (loop.now, request)
        let askers = sockets.enumerated().map { index, socket in
            Asker(
                socket,
                request,
                // Spread evenly over the period, so that they do not wait for each other.
                from: start + period * index / sockets.count,
                every: period,
                until: start + span
            )
        }
        for asker in askers { asker.sendNext() }
        try await loop.sleep(for: span + .seconds(2))
        var all = Sample()
        for asker in askers {
            guard asker.isDone else { throw LoadError.timedOut }
            for latency in asker.latencies { all.add(latency) }
        }
        return all
    }
}

/// Sends requests at fixed times. A late response delays the next request; that wait counts, too.
private final class Asker {
    private let socket: LoadSocket
    private let request: [UInt8]
    private let period: Duration
    private let end: ContinuousClock.Instant
    private var due: ContinuousClock.Instant
    private(set) var latencies: [Double] = []
    private(set) var isDone = false

    init(
        _ socket: LoadSocket,
        _ request: [UInt8],
        from start: ContinuousClock.Instant,
        every period: Duration,
        until end: ContinuousClock.Instant
    ) {
        self.socket = socket
        self.request = request
        self.period = period
        self.end = end
        due = start
    }

    /// Sends the next request when its time has come, until the end.
    func sendNext() {
        let wait = due - socket.loop.now
        if due >= end {
            isDone = true
        } else if wait > .zero {
            socket.loop.schedule(after: wait) { [self] in ask(since: .now) }
        } else {
            ask(since: due)
        }
    }

    private func ask(since start: ContinuousClock.Instant) {
        due += period
        socket.ask(request) { [self] _ in
            // The loop's turn began when the response arrived.
            latencies.append((socket.loop.now - start).inSeconds)
            sendNext()
        }
    }
}
