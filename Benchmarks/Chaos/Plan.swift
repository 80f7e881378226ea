// What a run does, decided by its seed before it begins: who says what where, who watches and loses
// their place, which program is killed after how many acknowledgements, what the network does to each
// connection. When each of it happens is the machine's doing.

/// The plan of a run.
struct Plan {
    static let userCount = 4
    static let connectionsPerUser = 4

    let seed: UInt64
    let sendCount: Int
    let nodeCount: Int
    let conversations: [ConversationPlan]
    let kills: [KillPlan]

    init(seed: UInt64, sends: Int, kills: Int, nodes: Int) {
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
            KillPlan(seed: seed, index: index, afterAcks: (index + 1) * sends / (kills + 1), nodes)
        }
    }
}

/// One of the connections that a user has open, in the plan's numbers.
struct Seat: Hashable {
    let user: Int
    let connection: Int
}

/// One conversation: its people, what they say, who watches.
struct ConversationPlan {
    /// How someone watches.
    struct Reader {
        let seat: Seat
        /// Checks each event by itself, instead of trusting the client library to heal.
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

/// One message that is sent, and what is done around it.
struct TurnPlan {
    /// What is asked besides the message.
    enum Extra: Hashable {
        case nothing
        /// The same request again: it must get the same reply.
        case repeated
        /// The same key with another text: it must be refused.
        case otherBody
        /// The answer is stopped.
        case stop
    }

    /// What a reader does to its place before it watches again.
    enum Rejoin: Hashable, CaseIterable {
        /// Nothing: it stays.
        case none
        /// It forgets the end of each growing text, and watches again.
        case cutTexts
        /// It forgets all, and asks for every event from the first.
        case fromTheFirstEvent
        /// It forgets all, and asks for a snapshot.
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
    /// Once so many sends are acknowledged.
    let afterAcks: Int
    /// How long after that.
    let pause: Duration
    /// The node that is killed; nil for none.
    let node: Int?
    /// How PostgreSQL is killed; nil for not at all.
    let postgres: PostgresKill?
    /// How long the dead stay dead.
    let down: Duration

    /// How PostgreSQL is ended.
    enum PostgresKill: Hashable {
        /// SIGQUIT to its first process: all of them end at once, without a word to the disk.
        case immediate
        /// SIGKILL to its first process; the others notice.
        case kill
    }

    init(seed: UInt64, index: Int, afterAcks: Int, _ nodes: Int) {
        var random = SeededGenerator(seed: seed, "kill", index)
        self.afterAcks = afterAcks
        pause = random.pause(below: 300)
        down = random.pause(below: 600)
        let victim = Int.random(in: 0..<10, using: &random)
        let chosen = Int.random(in: 0..<nodes, using: &random)
        // Six of ten take a server, three PostgreSQL, one both.
        node = victim < 6 || victim == 9 ? chosen : nil
        postgres = victim < 6 ? nil : (Bool.random(using: &random) ? .immediate : .kill)
    }
}

/// What the network does to one connection.
enum Fault: Hashable {
    case none
    /// After so many pieces from the client, the next goes through and its answer does not.
    case loseAnswer(afterPieces: Int)
    /// The connection is cut after so many bytes from the server, wherever that falls.
    case cut(afterBytes: Int)
    /// Both sides still think that the other is there.
    case blackHole(afterPieces: Int)
    /// After so many bytes from the server nothing is read from it for a while.
    case lag(afterBytes: Int, Duration)
    /// Each piece from the server comes later.
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
