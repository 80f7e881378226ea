// Compares the database's tree with the pure model under random operations.

import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import Testing

@Suite("The tree of messages under random changes")
struct TreeModelTests {
    @Test(
        "shows each member the branch of the model",
        arguments: 1...4 as ClosedRange<UInt64>
    )
    func branches(seed: UInt64) async throws {
        try await withStore { store, _ in
            let users = [
                try await store.someone(), try await store.someone(), try await store.someone(),
            ]
            let conversation = try await store.shared(users[0], users[1], users[2])
            var world = World(store: store, conversation: conversation.id, seed: seed)
            for step in 0..<80 {
                let user = users[Int.random(in: 0..<3, using: &world.generator)]
                try await world.act(as: user, owner: users[0])
                for user in users {
                    let shown = try await store.shown(conversation, to: user)
                    let expected = world.tree.shownBranch(selected: world.selected[user.id])
                    try #require(shown.map(\.id) == expected, "seed \(seed), step \(step)")
                    for message in shown {
                        let siblings = world.tree.siblings(of: message.id)
                        try #require(message.siblings ?? [message.id] == siblings)
                    }
                }
            }
            let last = try await store.conversations.conversation(conversation.id, for: users[0].id)
                .n
            let events = try await store.events.list(of: conversation.id, after: 0, limit: 10_000)
            #expect(events.compactMap(\.n) == Array(1...last))
        }
    }
}

/// The expected content of the database.
private struct World {
    let store: Store
    let conversation: ConversationID
    var generator: Numbers
    var tree = MessageTree()
    var selected: [UserID: MessageID] = [:]
    /// All messages, and whether a user wrote them.
    private var isQuestion: [MessageID: Bool] = [:]
    private var ids: [MessageID] = []

    init(store: Store, conversation: ConversationID, seed: UInt64) {
        self.store = store
        self.conversation = conversation
        generator = Numbers(state: seed)
    }

    /// Executes one operation, in the database and here.
    mutating func act(as user: User, owner: User) async throws {
        let kind = ids.isEmpty ? 0 : Int.random(in: 0..<10, using: &generator)
        let target = ids.randomElement(using: &generator)
        switch kind {
        case 0, 1, 2: try await send(user)
        case 3: try await send(user, leaf: target)
        case 4: try await send(user, parent: target)
        case 5, 6: try await again(user, target)
        case 7, 8: try await select(user, target)
        default: try await delete(owner, target)
        }
    }

    private mutating func send(
        _ user: User,
        parent: MessageID? = nil,
        leaf: MessageID? = nil
    ) async throws {
        let shown = tree.shownBranch(selected: selected[user.id]).last
        let named = leaf.flatMap { tree.leaf(through: $0) } ?? parent
        let reply = try await store.messages.send(
            MessageSendRequest(
                conversation: conversation,
                key: UUID().uuidString,
                text: "q",
                parent: parent,
                leaf: leaf
            ),
            by: user,
            limits: wide
        ).value
        try #require(reply.message.parent == named ?? shown)
        insert(reply.message)
        insert(reply.answer)
        if selected[user.id] != nil, let named, named != shown {
            selected[user.id] = reply.answer.id
        }
    }

    /// Edits a question, or regenerates its answer.
    private mutating func again(_ user: User, _ target: MessageID?) async throws {
        guard let target else { return }
        if isQuestion[target] == true, Bool.random(using: &generator) {
            let reply = try await store.messages.edit(
                MessageEditRequest(
                    conversation: conversation,
                    key: UUID().uuidString,
                    message: target,
                    text: "r"
                ),
                by: user,
                limits: wide
            ).value
            insert(reply.message)
            insert(reply.answer)
            selected[user.id] = reply.answer.id
        } else {
            let request = MessageAgainRequest(
                conversation: conversation,
                key: UUID().uuidString,
                message: target
            )
            let answer = try await store.messages.regenerate(request, by: user, limits: wide).value
                .answer
            insert(answer)
            selected[user.id] = answer.id
        }
    }

    private mutating func select(_ user: User, _ target: MessageID?) async throws {
        let target = Int.random(in: 0..<4, using: &generator) == 0 ? nil : target
        _ = try await store.messages.select(
            MessageSelectRequest(conversation: conversation, message: target),
            for: user.id,
            limit: 1
        )
        selected[user.id] = target.flatMap { tree.leaf(through: $0) }
    }

    private mutating func delete(_ owner: User, _ target: MessageID?) async throws {
        guard let target else { return }
        let parent = tree.parent(of: target)
        let gone = tree.remove(target)
        let deleted = try await store.messages.delete(
            MessageDeleteRequest(conversation: conversation, message: target),
            by: owner.id
        ).value
        try #require(Set(deleted.messages) == Set(gone))
        try #require(deleted.messages.first == target)
        ids.removeAll { gone.contains($0) }
        for (user, message) in selected where gone.contains(message) { selected[user] = parent }
    }

    private mutating func insert(_ message: Message) {
        tree.insert(message.id, below: message.parent)
        ids.append(message.id)
        isQuestion[message.id] = message.role == .user
    }
}

/// SplitMix64: a reproducible generator.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
