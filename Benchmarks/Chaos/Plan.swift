// The plan of a run, determined by its seed: which users send what, which readers watch and lose state,
// which process is killed after how many acknowledgements, which fault each connection gets. The timing
// depends on the machine.

/// The plan of a run.
struct Plan {
    static let userCount = 4
    static let connectionsPerUser = 4

    let seed: UInt64
    let sendCount: Int
    let nodeCount: Int
    /// Maximum number of sends that begin in a second; nil for no limit.
    var sendsPerSecond: Int?
    let conversations: [ConversationPlan]
    let kills: [KillPlan]

    init(seed: UInt64, sends: Int, kills: Int, nodes: Int, failsOver: Bool = false) {
        self.seed = seed
        sendCount = sends
        nodeCount = nodes
        var conversations: [ConversationPlan] = []
        var left = sends
        while left > 0 {
            let conversation = ConversationPlan(
                seed: seed,
                index: conversations.count,
                firstSend: sends - left,
                sendsMax: left
            )
            left -= conversation.turns.count
            conversations.append(conversation)
        }
        self.conversations = conversations
        self.kills = (0..<kills).map { index in
            let afterAcks = (index + 1) * sends / (kills + 1)
            return failsOver
                ? KillPlan(failoverOf: seed, index: index, afterAcks: afterAcks)
                : KillPlan(seed: seed, index: index, afterAcks: afterAcks, nodes)
        }
    }
}

/// One of a user's connections, by number.
struct Seat: Hashable {
    let user: Int
    let connection: Int
}

/// One conversation: its members, messages and readers.
struct ConversationPlan {
    /// A reader of a conversation.
    struct Reader {
        let seat: Seat
        /// Whether it checks each event itself, instead of using the client library.
        let isStrict: Bool
    }

    let index: Int
    let owner: Int
    let guest: Int?
    let creator: Seat
    let maxTokens: Int
    let readers: [Reader]
    let turns: [TurnPlan]

    init(seed: UInt64, index: Int, firstSend: Int, sendsMax: Int) {
        var random = SeededGenerator(seed: seed, "conversation", index)
        self.index = index
        let owner = Int.random(in: 0..<Plan.userCount, using: &random)
        let isShared = random.oneIn(3)
        let guest = isShared ? (owner + 1) % Plan.userCount : nil
        self.owner = owner
        self.guest = guest
        let users = [owner] + (guest.map { [$0] } ?? [])
        func seats(of user: Int) -> [Seat] {
            (0..<Plan.connectionsPerUser).map { Seat(user: user, connection: $0) }
        }
        creator = Seat(
            user: owner,
            connection: Int.random(in: 0..<Plan.connectionsPerUser, using: &random)
        )
        maxTokens = [8, 8, 12, 24].randomElement(using: &random) ?? 8
        let chosen = users.flatMap(seats).shuffled(using: &random).prefix(3)
        readers = chosen.enumerated().map { place, seat in
            Reader(seat: seat, isStrict: place < 2)
        }
        let count = min(sendsMax, Int.random(in: 1...6, using: &random))
        turns = (0..<count).map { turn in
            TurnPlan(index: firstSend + turn, users: users, using: &random)
        }
    }
}

/// One message to send, with an additional action.
struct TurnPlan {
    /// The additional action.
    enum Extra: Hashable {
        case nothing
        /// Repeat the request: it must get the same reply.
        case repeated
        /// The same key with another text: it must be refused.
        case otherBody
        /// Stop the answer.
        case stop
    }

    /// What a reader drops before it watches again.
    enum Rejoin: Hashable, CaseIterable {
        /// Nothing: it does not watch again.
        case none
        /// The end of each unfinished text.
        case cutTexts
        /// Everything; it requests every event from the first.
        case fromTheFirstEvent
        /// Everything; it requests a snapshot.
        case snapshot
    }

    let index: Int
    let speaker: Seat
    let text: String
    let extra: Extra
    /// Whether the next turn waits for this one's answer.
    let isAwaited: Bool
    let rejoins: [Rejoin]

    var key: String { "send-\(index)" }

    init(index: Int, users: [Int], using random: inout SeededGenerator) {
        self.index = index
        speaker = Seat(
            user: users.randomElement(using: &random) ?? 0,
            connection: Int.random(in: 0..<Plan.connectionsPerUser, using: &random)
        )
        let questions = [
            "What is \(index % 90) + 7?", "Tell me a story.", "Hello!",
            "Say \u{1F30A}.", "List three colours.",
        ]
        text = "\(index): " + (questions.randomElement(using: &random) ?? "")
        extra =
            switch Int.random(in: 0..<40, using: &random) {
            case 0, 1: .repeated
            case 2: .otherBody
            case 3, 4: .stop
            default: .nothing
            }
        isAwaited = random.oneIn(2)
        rejoins = (0..<3).map { _ in
            random.oneIn(3) ? Rejoin.allCases.randomElement(using: &random) ?? .none : .none
        }
    }
}

/// One kill.
struct KillPlan {
    /// The number of acknowledged sends before the kill.
    let afterAcks: Int
    /// The delay after that.
    let pause: Duration
    /// The node to kill; nil for none.
    let node: Int?
    /// How PostgreSQL is killed; nil for not at all.
    let postgres: PostgresKill?
    /// How the primary of several servers fails; nil for not at all.
    let failover: Failover?
    /// How long the killed processes stay down.
    let down: Duration

    /// How PostgreSQL is killed.
    enum PostgresKill: Hashable {
        /// SIGQUIT to the postmaster: all processes end at once, without a checkpoint.
        case immediate
        /// SIGKILL to the postmaster; the others notice.
        case kill
    }

    /// How a primary fails, by the names of patroni.py.
    enum Failover: String, CaseIterable {
        /// SIGKILL to the postmaster.
        case postgres
        /// SIGKILL to Patroni and PostgreSQL.
        case node
        /// SIGSTOP to Patroni and PostgreSQL; SIGCONT when there is another primary.
        case frozen
        /// Its network is gone until there is another primary.
        case partition
        /// An administrator chooses another primary.
        case switchover
    }

    /// A failover: each kind once in five.
    init(failoverOf seed: UInt64, index: Int, afterAcks: Int) {
        var random = SeededGenerator(seed: seed, "failover", index)
        self.afterAcks = afterAcks
        pause = random.pause(below: 300)
        down = .zero
        node = nil
        postgres = nil
        failover = Failover.allCases[index % Failover.allCases.count]
    }

    init(seed: UInt64, index: Int, afterAcks: Int, _ nodes: Int) {
        var random = SeededGenerator(seed: seed, "kill", index)
        self.afterAcks = afterAcks
        pause = random.pause(below: 300)
        down = random.pause(below: 600)
        let victim = Int.random(in: 0..<10, using: &random)
        let chosen = Int.random(in: 0..<nodes, using: &random)
        // Of ten kills, six hit a server, three PostgreSQL, one both.
        node = victim < 6 || victim == 9 ? chosen : nil
        postgres = victim < 6 ? nil : (Bool.random(using: &random) ? .immediate : .kill)
        failover = nil
    }
}

/// The network fault of a connection.
enum Fault: Hashable {
    case none
    /// After this many reads from the client, forward the next, but not the response.
    case loseAnswer(afterPieces: Int)
    /// Close the connection after this many bytes from the server.
    case cut(afterBytes: Int)
    /// Forward nothing, without closing.
    case blackHole(afterPieces: Int)
    /// After this many bytes from the server, stop reading from it for a while.
    case lag(afterBytes: Int, Duration)
    /// Delay each read from the server.
    case delay(Duration)

    init(seed: UInt64, connection: Int) {
        var random = SeededGenerator(seed: seed, "connection", connection)
        let pieces = Int.random(in: 3..<60, using: &random)
        let bytes = Int.random(in: 200..<60_000, using: &random)
        self =
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<7: .loseAnswer(afterPieces: pieces)
            case 7..<11: .cut(afterBytes: bytes)
            case 11: .blackHole(afterPieces: pieces)
            case 12..<15: .lag(afterBytes: bytes, random.pause(below: 3000))
            case 15..<18: .delay(random.pause(below: 30))
            default: .none
            }
    }
}
