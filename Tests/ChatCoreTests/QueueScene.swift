// Users and their answers in a queue, identified by small numbers.

import ChatCore
import ChatProtocol
import FoundationEssentials

/// Creates entries with ids made from small numbers.
enum QueueScene {
    static func id<Entity>(_ kind: UInt8, _ number: Int) -> ID<Entity> {
        let low = UInt32(truncatingIfNeeded: number).bytes
        return ID(
            UUID(
                uuid: (
                    kind, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, low[0], low[1], low[2], low[3]
                )
            )
        )
    }

    static func user(_ number: Int) -> UserID { id(1, number) }

    /// An entry of `user`, in a new conversation if none is given.
    static func answer(
        _ position: Int,
        of user: Int,
        conversation: Int? = nil,
        team: Int? = nil,
        priority: QueuePriority = .interactive,
        tokens: Int = 100,
        hasBegun: Bool = false
    ) -> QueuedAnswer {
        QueuedAnswer(
            message: id(2, position),
            conversation: id(3, conversation ?? 1_000_000 + position),
            user: Self.user(user),
            team: team.map { (id(4, $0) as ID<User>).uuid },
            priority: priority,
            position: Int64(position),
            promptTokens: tokens / 2,
            answerTokens: tokens - tokens / 2,
            hasBegun: hasBegun
        )
    }
}

extension UInt32 {
    fileprivate var bytes: [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}

/// A generator whose seed makes a test reproducible.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
