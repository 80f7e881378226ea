// Revokes rights of subscribers, by removing members, by their leaving and by ending their sign-ins,
// while conversations are busy: how long after the acknowledgement does a frame still reach them? The
// limit is one second.

import ArgumentParser
import ChatClient
import ChatProtocol
import Digests
import EventLoop
import HTTPProtocol
import Logging
import Postgres

struct RevocationsBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revocations",
        abstract: "Take rights from people who watch busy conversations, and look for late frames.",
        discussion: "Exits with 1 where a frame came later than a second after."
    )

    @Option(help: "The server, such as http://127.0.0.1:8080.") var server: String
    @Option(help: "Its database, where sign-ins are made: as host=… dbname=….")
    var databaseURL: String
    @Option(help: "Rights to take.") var count = 10_000
    @Option(help: "People who watch: the users “bench 1” and on.") var people = 199
    @Option(help: "Conversations of the user “bench 0”, in which something happens all the time.")
    var conversations = 10
    @Option(help: "Decides from whom what is taken when.") var seed: UInt64 = 1

    func run() async throws {
        guard let server = HTTPOrigin(server) else {
            throw ValidationError("not a server's URL")
        }
        let database = try PostgresConfiguration(connectionString: databaseURL)
        let (count, people, places, seed) = (count, people, conversations, seed)
        let result = try await EventLoop.run { loop in
            let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
            let pool = PostgresPool(loop: loop, configuration: database, logger: logger)
            let members = RevokedMembers(loop: loop, server: server, pool: pool, count: count)
            try await members.play(people: people, conversations: places, seed: seed)
            await pool.close()
            return members.result
        }
        for (way, times) in result.times.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            report("revocations_\(way.rawValue)", Double(times))
        }
        report("revocation_frames_before", Double(result.frames))
        report("revocation_last_frame_p50_ms", result.lateness.median * 1000)
        report("revocation_last_frame_p99_ms", result.lateness.percentile(0.99) * 1000)
        report("revocation_last_frame_max_ms", result.lateness.percentile(1) * 1000)
        report("revocation_frames_too_late", Double(result.tooLate))
        if result.tooLate > 0 { throw ExitCode.failure }
    }
}

/// How a right is revoked.
enum RevocationWay: String, CaseIterable, Sendable {
    /// The owner removes the member.
    case removed
    /// The member leaves, on another connection.
    case left
    /// The sign-in is revoked on another device.
    case signedOut = "signed_out"
}

/// The members and owners. Used on one event loop.
private final class RevokedMembers {
    struct Result: Sendable {
        var times: [RevocationWay: Int] = [:]
        var frames = 0
        /// How long after the acknowledgement the last frame arrived, in seconds; 0 if none did.
        var lateness = Sample()
        var tooLate = 0
    }

    private let loop: EventLoop
    private let server: HTTPOrigin
    private let pool: PostgresPool
    private var left: Int
    private var places: [ConversationID] = []
    private(set) var result = Result()

    init(loop: EventLoop, server: HTTPOrigin, pool: PostgresPool, count: Int) {
        self.loop = loop
        self.server = server
        self.pool = pool
        left = count
    }

    func play(people: Int, conversations: Int, seed: UInt64) async throws {
        let owner = try await connect("bench 0", token: Self.token("bench 0"))
        for _ in 0..<conversations {
            let reply = try await owner.call(
                .conversationCreate,
                ConversationCreateRequest(key: "\(MessageID.make())")
            )
            places.append(reply.conversation.id)
        }
        let talking = places.map { place in
            loop.spawn { [self] in await talk(in: place, owner) }
        }
        var running: [LoopPromise<Void, any Error>] = []
        for person in 1...people {
            let done = LoopPromise<Void, any Error>(loop)
            loop.spawn { [self] in
                do {
                    try await watch(as: "bench \(person)", owner, seed &+ UInt64(person))
                    done.succeed(())
                } catch {
                    done.fail(error)
                }
            }
            running.append(done)
        }
        for person in running { try await person.value(cancelled: {}) }
        for talker in talking { talker.cancel() }
        owner.close()
    }

    private static func token(_ text: String) -> String { SHA256.digest(of: text).hexadecimal }

    private func connect(_ name: String, token: String) async throws -> ChatClient {
        let client = ChatClient(
            loop: loop,
            configuration: ChatClient.Configuration(server: server, token: token)
        )
        client.start()
        _ = try await client.connected()
        return client
    }

    /// Keeps a conversation busy.
    private func talk(in place: ConversationID, _ owner: ChatClient) async {
        var number = 0
        while !Task.isCancelled {
            number += 1
            let request = ConversationUpdateRequest(conversation: place, title: "\(number)")
            _ = try? await owner.call(.conversationUpdate, request)
            try? await loop.sleep(for: .milliseconds(20))
        }
    }

    /// Subscribes and loses the right, repeatedly.
    private func watch(as name: String, _ owner: ChatClient, _ seed: UInt64) async throws {
        var random = SplitMix(state: seed)
        let home = try await connect(name, token: Self.token(name))
        guard let user = home.welcome?.user.id else { return }
        while left > 0 {
            left -= 1
            let place = places[Int(random.next() % UInt64(places.count))]
            let ways = RevocationWay.allCases
            let way = ways[Int(random.next() % UInt64(ways.count))]
            let add = MemberAddRequest(conversation: place, user: name)
            _ = try await owner.call(.memberAdd, add)
            let token = Self.token("\(MessageID.make())")
            try await addSession(of: user, token)
            let device = try await connect(name, token: token)
            var last: ContinuousClock.Instant?
            var frames = 0
            device.onEvent = { [loop] event in
                guard case .conversationUpdated(let body) = event, body.conversation == place
                else { return }
                last = loop.now
                frames += 1
            }
            _ = try await device.call(
                .conversationWatch,
                ConversationWatchRequest(conversation: place)
            )
            try await loop.sleep(for: .milliseconds(Int64(50 + random.next() % 200)))
            try await take(way, from: user, in: place, device, home, owner)
            let acknowledged = loop.now
            try await loop.sleep(for: .milliseconds(1500))
            device.close()
            note(way, frames, last.map { $0 - acknowledged })
        }
        home.close()
    }

    private func take(
        _ way: RevocationWay,
        from user: UserID,
        in place: ConversationID,
        _ device: ChatClient,
        _ home: ChatClient,
        _ owner: ChatClient
    ) async throws {
        let remove = MemberRemoveRequest(conversation: place, user: user)
        switch way {
        case .removed: _ = try await owner.call(.memberRemove, remove)
        case .left: _ = try await home.call(.memberRemove, remove)
        case .signedOut:
            guard let session = device.welcome?.session else { return }
            let request = SessionRevokeRequest(session: session)
            _ = try await home.call(.sessionRevoke, request)
        }
    }

    private func note(_ way: RevocationWay, _ frames: Int, _ last: Duration?) {
        result.times[way, default: 0] += 1
        result.frames += frames
        result.lateness.add(max(0, last?.inSeconds ?? 0))
        if let last, last > .seconds(1) { result.tooLate += 1 }
    }

    /// Adds a sign-in without a password, which avoids the cost of hashing.
    private func addSession(of user: UserID, _ token: String) async throws {
        _ = try await pool.query(
            """
            INSERT INTO sessions (id, user_id, token_hash, expires_at)
            VALUES (gen_random_uuid(), $1, $2, now() + interval '1 hour')
            """,
            [.uuid(user.uuid), .bytes(SHA256.digest(of: token).bytes)]
        )
    }
}

/// Reproducible random numbers: SplitMix64 (Steele, Lea and Flood, 2014).
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
