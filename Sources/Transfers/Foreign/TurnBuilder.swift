// Questions and answers out of a tree of nodes.

import ChatProtocol

/// A message of a conversation to be, by places instead of identifiers.
struct ForeignTurn {
    /// What tells it from the conversation's other messages, always the same.
    let names: [String]
    /// The place of the message before it in the list of all.
    let parent: Int?
    let role: MessageRole
    var text = ""
    var time: Timestamp?
    var state = MessageState.complete
    var model: String?
}

/// Makes messages of nodes.
///
/// Nodes of a model that follow each other, as where it asks a tool and goes on, are one answer; where
/// they fork, each branch has what came before as its own. A question that follows a question, and an
/// answer that follows nothing, get an empty partner in between.
struct TurnBuilder {
    private let tree: ForeignTree
    private let byteCountMax: Int
    /// For each node the nearest one above that comes over.
    private var keptParents: [Int?] = []
    private var keptChildren: [[Int]] = []
    /// For each node the latest time of it and all above: no node is older than its parent.
    private var times: [Int64] = []
    /// For each node, where its message is in `turns`.
    private var turnPlaces: [Int?]
    /// For each node that has an empty partner, where that is.
    private var partners: [Int: Int] = [:]
    private var byteCount = 0
    private var stepCount = 0

    /// The messages, each after the one that it follows, oldest first.
    private(set) var turns: [ForeignTurn] = []
    /// What was joined or filled, by the node that it was about.
    private(set) var changes: [(node: String, reason: String)] = []

    /// The most nodes that are visited to join answers: where a long chain forks at every step, a
    /// conversation would grow with the square of its length.
    private static let stepCountMax = 1_000_000

    /// - Parameters:
    ///   - tree: the nodes.
    ///   - byteCountMax: the most bytes of all texts.
    /// - Throws: `SkippedConversation` where they are too much.
    init(_ tree: ForeignTree, byteCountMax: Int) throws {
        self.tree = tree
        self.byteCountMax = byteCountMax
        turnPlaces = [Int?](repeating: nil, count: tree.nodes.count)
        let order = findKept()
        keptChildren = ForeignTree.children(of: keptParents)
        for place in order where tree.nodes[place].speaker != .nobody { try add(place) }
    }

    /// The last message of the branch through a node; of the newest one where nothing of that node's
    /// branch comes over.
    func leaf(through node: String?) -> Int? {
        let named = node.flatMap { id in tree.nodes.firstIndex { $0.id == id } }
        var kept = named.flatMap { tree.nodes[$0].speaker == .nobody ? keptParents[$0] : $0 }
        while let place = kept, let last = keptChildren[place].max(by: isBefore) { kept = last }
        return kept.flatMap { turnPlaces[$0] } ?? turns.indices.last
    }

    // MARK: What comes over

    /// Finds for each node what it follows and when it was made.
    /// - Returns: the nodes in order of time, each after its parent.
    private mutating func findKept() -> [Int] {
        let order = tree.parentsFirst()
        keptParents = [Int?](repeating: nil, count: tree.nodes.count)
        times = [Int64](repeating: .min, count: tree.nodes.count)
        var ranks = [Int](repeating: 0, count: tree.nodes.count)
        for (rank, place) in order.enumerated() {
            ranks[place] = rank
            let parent = tree.parents[place]
            if let parent {
                keptParents[place] =
                    tree.nodes[parent].speaker == .nobody ? keptParents[parent] : parent
            }
            times[place] = max(
                tree.nodes[place].time?.milliseconds ?? .min,
                parent.map { times[$0] } ?? .min
            )
        }
        // A node without a time has its parent's, so that the order holds for its children too.
        return order.sorted { (times[$0], ranks[$0]) < (times[$1], ranks[$1]) }
    }

    private func isBefore(_ one: Int, _ other: Int) -> Bool {
        (times[one], one) < (times[other], other)
    }

    private func time(of place: Int) -> Timestamp? {
        times[place] == .min ? nil : tree.nodes[place].time ?? Timestamp(milliseconds: times[place])
    }

    // MARK: Messages

    private mutating func add(_ place: Int) throws {
        let node = tree.nodes[place]
        if node.speaker == .person {
            turnPlaces[place] = try append(
                ForeignTurn(
                    names: [node.id],
                    parent: try keptParents[place].flatMap { try answer(before: place, $0) },
                    role: .user,
                    text: node.text,
                    time: time(of: place)
                )
            )
        } else if endsAnswer(place) {
            turnPlaces[place] = try append(try answer(endingAt: place))
        }
    }

    /// Whether somebody goes on from here, or nobody at all: else the answer goes on.
    private func endsAnswer(_ place: Int) -> Bool {
        let children = keptChildren[place]
        return children.isEmpty || children.contains { tree.nodes[$0].speaker == .person }
    }

    private mutating func append(_ turn: ForeignTurn) throws -> Int {
        byteCount += turn.text.utf8.count
        guard byteCount <= byteCountMax else {
            throw SkippedConversation(reason: "its texts are too long together")
        }
        turns.append(turn)
        return turns.count - 1
    }

    /// The answer that a question follows: what stands there, or an empty one after a question.
    private mutating func answer(before place: Int, _ parent: Int) throws -> Int? {
        guard tree.nodes[parent].speaker == .person else { return turnPlaces[parent] }
        changes.append(
            (tree.nodes[place].id, "it followed another question; an empty answer is between them")
        )
        if let known = partners[parent] { return known }
        let turn = try append(
            ForeignTurn(
                names: [tree.nodes[parent].id, "no answer"],
                parent: turnPlaces[parent],
                role: .assistant,
                time: time(of: parent),
                state: .stopped
            )
        )
        partners[parent] = turn
        return turn
    }

    private mutating func answer(endingAt place: Int) throws -> ForeignTurn {
        var pieces: [Int] = []
        var next: Int? = place
        while let piece = next, tree.nodes[piece].speaker == .model {
            pieces.append(piece)
            next = keptParents[piece]
        }
        stepCount += pieces.count
        guard stepCount <= Self.stepCountMax else {
            throw SkippedConversation(reason: "its answers fork too often")
        }
        pieces.reverse()
        let texts = pieces.map { tree.nodes[$0].text }.filter { !$0.isEmpty }
        let last = tree.nodes[place]
        if texts.count > 1 { changes.append((last.id, "messages of one answer were joined")) }
        return ForeignTurn(
            names: [last.id],
            parent: try next.map { turnPlaces[$0] } ?? question(before: pieces[0]),
            role: .assistant,
            text: texts.joined(separator: "\n\n"),
            time: time(of: pieces[0]),
            state: last.state,
            model: pieces.reversed().compactMap { tree.nodes[$0].model }.first
        )
    }

    /// An empty question for an answer that follows none.
    private mutating func question(before place: Int) throws -> Int {
        let node = tree.nodes[place]
        if let known = partners[place] { return known }
        changes.append((node.id, "it answered nothing; an empty question is before it"))
        let turn = try append(
            ForeignTurn(
                names: [node.id, "no question"],
                parent: nil,
                role: .user,
                time: time(of: place)
            )
        )
        partners[place] = turn
        return turn
    }
}
