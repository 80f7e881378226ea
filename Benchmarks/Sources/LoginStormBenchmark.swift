// A storm of sign-ins: how long small requests of signed-in users take before and during it, and how much
// memory the server needs.

import ArgumentParser
import ChatClient
import ChatProtocol
import EventLoop
import HTTPProtocol

struct LoginStormBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login-storm",
        abstract: "Offer many sign-ins a second while clients that are signed in ping.",
        discussion: "The storm is of the users storm-0, storm-1 and so on, with the same password."
    )

    @OptionGroup var options: ServerOptions
    @Option(help: "Sign-ins a second.") var rate = 200
    @Option(help: "Seconds of storm, and half as many of quiet before it.") var seconds = 30
    @Option(help: "Users who sign in.") var accounts = 200
    @Option(help: "Clients that ping, each ten times a second.") var clients = 20
    @Option(help: "The server's process, to read its memory.") var process: Int?

    func run() async throws {
        guard let server = HTTPOrigin(options.server) else {
            throw ValidationError("not a server's URL")
        }
        let (user, password, count) = (options.user, options.password, clients)
        let (seconds, rate, accounts, process) = (seconds, rate, accounts, process)
        // The clients have their own thread, so that the storm's work does not add to their times.
        async let pings = EventLoop.run { loop in
            try await Pingers(loop: loop, server: server, user, password, count).measure(seconds)
        }
        async let storm = EventLoop.run { loop in
            try await loop.sleep(for: .seconds(seconds / 2 + 2))
            return try await Storm(loop: loop, server: server, password, accounts)
                .run(rate: rate, seconds: seconds, process: process)
        }
        let (measured, raged) = try await (pings, storm)
        report("storm_ping_quiet_p50_ms", measured.quiet.median * 1000)
        report("storm_ping_quiet_p99_ms", measured.quiet.percentile(0.99) * 1000)
        report("storm_ping_p50_ms", measured.stormy.median * 1000)
        report("storm_ping_p99_ms", measured.stormy.percentile(0.99) * 1000)
        report("storm_offered", Double(raged.offered))
        report("storm_signed_in", Double(raged.signedIn))
        report("storm_refused_busy", Double(raged.busy))
        report("storm_other", Double(raged.other))
        report("storm_memory_before_mb", raged.memoryBefore / 1024)
        report("storm_memory_max_mb", raged.memoryMax / 1024)
    }
}

/// Signed-in clients that ping. Used on one event loop.
private final class Pingers {
    struct Result: Sendable {
        var quiet = Sample()
        var stormy = Sample()
    }

    private let loop: EventLoop
    private let server: HTTPOrigin
    private let user: String
    private let password: String
    private let count: Int
    private var result = Result()

    init(
        loop: EventLoop,
        server: HTTPOrigin,
        _ user: String,
        _ password: String,
        _ count: Int
    ) {
        self.loop = loop
        self.server = server
        self.user = user
        self.password = password
        self.count = count
    }

    func measure(_ seconds: Int) async throws -> Result {
        let start = loop.now
        let token = try await HTTPClient(loop: loop, server: server)
            .signIn(username: user, password: password).token
        let clients = (0..<count).map { _ in
            ChatClient(
                loop: loop,
                configuration: ChatClient.Configuration(server: server, token: token)
            )
        }
        for client in clients { client.start() }
        for client in clients { _ = try await client.connected() }
        let storm = start + .seconds(seconds / 2 + 2)
        let tasks = clients.map { client in
            loop.spawn { [self] in
                // Skips the first second of the storm, which starts on another thread.
                while loop.now < storm + .seconds(seconds) {
                    let sent = loop.now
                    guard
                        (try? await client.call(.ping, EmptyRequest())) != nil
                    else { return }
                    let took = (loop.now - sent).inSeconds
                    if loop.now < storm {
                        result.quiet.add(took)
                    } else if sent > storm + .seconds(1) {
                        result.stormy.add(took)
                    }
                    try? await loop.sleep(for: .milliseconds(100))
                }
            }
        }
        for task in tasks { await task.wait() }
        for client in clients { client.close() }
        return result
    }
}

/// Sign-ins at a fixed rate, whatever their results. Used on one event loop.
private final class Storm {
    struct Result: Sendable {
        var offered = 0
        var signedIn = 0
        var busy = 0
        var other = 0
        var memoryBefore = 0.0
        var memoryMax = 0.0
    }

    private let loop: EventLoop
    private let client: HTTPClient
    private let password: String
    private let accounts: Int
    private var result = Result()

    init(loop: EventLoop, server: HTTPOrigin, _ password: String, _ accounts: Int) {
        self.loop = loop
        client = HTTPClient(loop: loop, server: server)
        self.password = password
        self.accounts = accounts
    }

    func run(rate: Int, seconds: Int, process: Int?) async throws -> Result {
        result.memoryBefore = process.map { Self.memory(of: $0) } ?? 0
        let start = loop.now
        var tasks: [LoopTask] = []
        for number in 0..<rate * seconds {
            let due = start + .seconds(1) * number / rate
            if due > loop.now { try await loop.sleep(for: due - loop.now) }
            result.offered += 1
            tasks.append(loop.spawn { [self] in await signIn(number % accounts) })
            if number % rate == 0, let process {
                result.memoryMax = max(result.memoryMax, Self.memory(of: process))
            }
        }
        for task in tasks { await task.wait() }
        return result
    }

    private func signIn(_ number: Int) async {
        let body = SignInRequest(username: "storm-\(number)", password: password)
        let reply = try? await client.post("/api/v1/session", json: WireEncoding.text(body))
        switch reply?.status.code {
        case 200: result.signedIn += 1
        case 503: result.busy += 1
        default: result.other += 1
        }
    }

    /// A process' memory in KiB; 0 if unknown.
    private static func memory(of process: Int) -> Double {
        Double((try? ProcessMemory.resident(of: process)) ?? 0) / 1024
    }
}
